//! A wire over MPI. All calls of MPI come from one dedicated thread, so MPI need not support
//! several. That thread sends posted messages and distributes those received; senders never wait
//! for receivers.

use super::place::RankPlace;
use crate::engine::backend::ranks::wire::{Inbox, Senders, Tag, Wire, gone};
use crate::error::{Error, Result};
use mpi::Threading;
use mpi::datatype::Equivalence;
use mpi::point_to_point::{Destination, Source};
use mpi::request::{Request, StaticScope};
use mpi::topology::{Communicator, SimpleCommunicator};
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, sleep, spawn, yield_now};
use std::time::{Duration, Instant};

/// Maximum size of a piece of a message (bytes): MPI counts in 32 bits.
const PIECE: usize = 1 << 30;

/// Last byte of a piece: more pieces follow, the message is complete, or the sender has finished.
const MORE: u8 = 0;
const LAST: u8 = 1;
const GOODBYE: u8 = 2;

/// Time for which the idle thread polls without pausing, and the length of the pauses after that.
const AWAKE: Duration = Duration::from_millis(2);
const PAUSE: Duration = Duration::from_micros(50);

/// Receiver, tag and message.
type Posted = (usize, Tag, Vec<u8>);

/// Connections to all other ranks.
struct Mpi {
    to: Mutex<Option<Sender<Posted>>>,
    /// By rank.
    from: Vec<Inbox>,
    talker: Mutex<Option<JoinHandle<()>>>,
}

/// Starts MPI and connects to the other ranks.
///
/// # Errors
/// If MPI cannot be started, or if its rank and size differ from the launcher's.
pub fn connect(place: &RankPlace) -> Result<Arc<dyn Wire>> {
    let (to, posted) = channel::<Posted>();
    let (mut senders, mut from) = (Vec::new(), Vec::new());
    for _ in 0..place.count {
        let (send, inbox) = Inbox::new();
        senders.push(Some(send));
        from.push(inbox);
    }
    let (say, said) = channel();
    let expected = (place.rank, place.count);
    let talker = spawn(move || {
        let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
            let _ = say.send(Err(Error::run("MPI cannot be started")));
            return;
        };
        let world = universe.world();
        let found = (world.rank() as usize, world.size() as usize);
        if found != expected {
            let wrong = format!(
                "MPI numbers this process as rank {} of {}, but its launcher as rank {} of {}",
                found.0, found.1, expected.0, expected.1
            );
            let hint = "use the mpirun of the MPI library that inundate was built with";
            let _ = say.send(Err(Error::run(wrong).hint(hint)));
            return;
        }
        let _ = say.send(Ok(()));
        Talk { world, senders, pieces: HashMap::new(), under_way: Vec::new() }.run(&posted);
    });
    said.recv().map_err(|_| Error::run("MPI cannot be started"))??;
    Ok(Arc::new(Mpi { to: Mutex::new(Some(to)), from, talker: Mutex::new(Some(talker)) }))
}

/// State of the thread that calls MPI.
struct Talk {
    world: SimpleCommunicator,
    /// By rank and tag; `None` for ranks that have finished.
    senders: Vec<Option<Senders>>,
    /// Pieces received of incomplete messages, by rank and tag.
    pieces: HashMap<(usize, usize), Vec<u8>>,
    /// Messages that MPI is still sending, with their leaked buffers.
    under_way: Vec<(Request<'static, [u8], StaticScope>, *mut [u8])>,
}

impl Talk {
    /// Sends and receives until this rank and all others have finished.
    fn run(mut self, posted: &Receiver<Posted>) {
        let me = self.world.rank() as usize;
        self.senders[me] = None;
        let (mut open, mut quiet) = (true, Instant::now());
        while open || !self.under_way.is_empty() || self.senders.iter().any(Option::is_some) {
            let mut busy = self.receive();
            match posted.try_recv() {
                Ok((to, tag, message)) => {
                    let mut pieces = message.chunks(PIECE).peekable();
                    while let Some(piece) = pieces.next() {
                        self.send(
                            to,
                            tag,
                            piece,
                            if pieces.peek().is_some() { MORE } else { LAST },
                        );
                    }
                    if message.is_empty() {
                        self.send(to, tag, &[], LAST);
                    }
                    busy = true;
                }
                Err(TryRecvError::Disconnected) if open => {
                    open = false;
                    for to in (0..self.senders.len()).filter(|to| *to != me) {
                        self.send(to, Tag::Command, &[], GOODBYE);
                    }
                }
                Err(_) => {}
            }
            self.free_sent();
            if busy {
                quiet = Instant::now();
            } else if quiet.elapsed() < AWAKE {
                yield_now();
            } else {
                sleep(PAUSE);
            }
        }
    }

    fn send(&mut self, to: usize, tag: Tag, piece: &[u8], end: u8) {
        let bytes = Box::leak([piece, &[end]].concat().into_boxed_slice());
        let raw: *mut [u8] = bytes;
        let process = self.world.process_at_rank(to as i32);
        let request = process.immediate_send_with_tag(StaticScope, &*bytes, tag as i32);
        self.under_way.push((request, raw));
    }

    /// Frees the buffers of messages that have been sent.
    fn free_sent(&mut self) {
        for (request, raw) in std::mem::take(&mut self.under_way) {
            match request.test() {
                // SAFETY: `raw` was leaked when the message was sent. The request is complete, so
                // MPI no longer reads it.
                Ok(_) => drop(unsafe { Box::from_raw(raw) }),
                Err(request) => self.under_way.push((request, raw)),
            }
        }
    }

    /// Distributes received messages. Returns `true` if there were any.
    fn receive(&mut self) -> bool {
        let mut any = false;
        while let Some((message, status)) = self.world.any_process().immediate_matched_probe() {
            any = true;
            let (from, tag) = (status.source_rank() as usize, status.tag() as usize);
            let mut bytes = vec![0u8; status.count(u8::equivalent_datatype()) as usize];
            message.matched_receive_into(&mut bytes[..]);
            let end = bytes.pop();
            if end == Some(GOODBYE) {
                self.senders[from] = None;
                continue;
            }
            let whole = match self.pieces.remove(&(from, tag)) {
                Some(mut before) => {
                    before.append(&mut bytes);
                    before
                }
                None => bytes,
            };
            if end == Some(MORE) {
                self.pieces.insert((from, tag), whole);
            } else if let Some(senders) = &self.senders[from] {
                // The receiver may be gone.
                let _ = senders[tag].send(whole);
            }
        }
        any
    }
}

impl Wire for Mpi {
    fn ranks(&self) -> usize {
        self.from.len()
    }

    fn send(&self, to: usize, tag: Tag, message: Vec<u8>) -> Result<()> {
        let sender = self.to.lock().expect("no one panics");
        let Some(sender) = sender.as_ref() else { return Err(gone(to)) };
        sender.send((to, tag, message)).map_err(|_| gone(to))
    }

    fn receive(&self, from: usize, tag: Tag) -> Result<Vec<u8>> {
        self.from[from].receive(from, tag)
    }

    fn finish(&self) {
        self.to.lock().expect("no one panics").take();
        if let Some(talker) = self.talker.lock().expect("no one panics").take() {
            let _ = talker.join();
        }
    }
}
