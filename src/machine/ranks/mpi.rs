//! A wire over MPI. A thread of its own talks to MPI, which so need not bear several: it sends what is posted, and hands out what
//! comes, and no one waits for who receives.

use super::place::RankPlace;
use crate::engine::backend::ranks::wire::{Inbox, Lane, Senders, Wire, gone};
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

/// The most that goes in one piece (bytes): MPI counts in 32 bits.
const PIECE: usize = 1 << 30;

/// What follows the bytes of a piece: that there is more, that it was the last of a message, or that its sender says goodbye.
const MORE: u8 = 0;
const LAST: u8 = 1;
const GOODBYE: u8 = 2;

/// How long the thread looks without a pause when nothing happens, and how long the pauses are.
const AWAKE: Duration = Duration::from_millis(2);
const PAUSE: Duration = Duration::from_micros(50);

/// Receiver, lane and message.
type Posted = (usize, Lane, Vec<u8>);

/// Connections to all other ranks.
struct Mpi {
    to: Mutex<Option<Sender<Posted>>>,
    /// By rank.
    from: Vec<Inbox>,
    talker: Mutex<Option<JoinHandle<()>>>,
}

/// Meets the other ranks. An error if MPI cannot be used, or was told of others.
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
                "MPI says that this is rank {} of {}, and its launcher {} of {}",
                found.0, found.1, expected.0, expected.1
            );
            let hint = "start it with the mpirun of the MPI that it was built with";
            let _ = say.send(Err(Error::run(wrong).hint(hint)));
            return;
        }
        let _ = say.send(Ok(()));
        Talk { world, senders, pieces: HashMap::new(), under_way: Vec::new() }.run(&posted);
    });
    said.recv().map_err(|_| Error::run("MPI cannot be started"))??;
    Ok(Arc::new(Mpi { to: Mutex::new(Some(to)), from, talker: Mutex::new(Some(talker)) }))
}

/// What the thread that talks to MPI knows.
struct Talk {
    world: SimpleCommunicator,
    /// By rank and lane; none of those who said goodbye.
    senders: Vec<Option<Senders>>,
    /// What came of messages that are not complete, by rank and lane.
    pieces: HashMap<(usize, usize), Vec<u8>>,
    /// Messages that MPI has not done with.
    under_way: Vec<(Request<'static, [u8], StaticScope>, *mut [u8])>,
}

impl Talk {
    /// Sends and receives until this rank and all others have said goodbye.
    fn run(mut self, posted: &Receiver<Posted>) {
        let me = self.world.rank() as usize;
        self.senders[me] = None;
        let (mut open, mut quiet) = (true, Instant::now());
        while open || !self.under_way.is_empty() || self.senders.iter().any(Option::is_some) {
            let mut busy = self.receive();
            match posted.try_recv() {
                Ok((to, lane, message)) => {
                    let mut pieces = message.chunks(PIECE).peekable();
                    while let Some(piece) = pieces.next() {
                        self.send(
                            to,
                            lane,
                            piece,
                            if pieces.peek().is_some() { MORE } else { LAST },
                        );
                    }
                    if message.is_empty() {
                        self.send(to, lane, &[], LAST);
                    }
                    busy = true;
                }
                Err(TryRecvError::Disconnected) if open => {
                    open = false;
                    for to in (0..self.senders.len()).filter(|to| *to != me) {
                        self.send(to, Lane::Command, &[], GOODBYE);
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

    fn send(&mut self, to: usize, lane: Lane, piece: &[u8], end: u8) {
        let bytes = Box::leak([piece, &[end]].concat().into_boxed_slice());
        let raw: *mut [u8] = bytes;
        let process = self.world.process_at_rank(to as i32);
        let request = process.immediate_send_with_tag(StaticScope, &*bytes, lane as i32);
        self.under_way.push((request, raw));
    }

    /// Takes back what MPI has done with.
    fn free_sent(&mut self) {
        for (request, raw) in std::mem::take(&mut self.under_way) {
            match request.test() {
                // SAFETY: it was leaked when it was sent, and no one else has it any more.
                Ok(_) => drop(unsafe { Box::from_raw(raw) }),
                Err(request) => self.under_way.push((request, raw)),
            }
        }
    }

    /// Hands out what has come; says whether anything has.
    fn receive(&mut self) -> bool {
        let mut any = false;
        while let Some((message, status)) = self.world.any_process().immediate_matched_probe() {
            any = true;
            let (from, lane) = (status.source_rank() as usize, status.tag() as usize);
            let mut bytes = vec![0u8; status.count(u8::equivalent_datatype()) as usize];
            message.matched_receive_into(&mut bytes[..]);
            let end = bytes.pop();
            if end == Some(GOODBYE) {
                self.senders[from] = None;
                continue;
            }
            let whole = match self.pieces.remove(&(from, lane)) {
                Some(mut before) => {
                    before.append(&mut bytes);
                    before
                }
                None => bytes,
            };
            if end == Some(MORE) {
                self.pieces.insert((from, lane), whole);
            } else if let Some(senders) = &self.senders[from] {
                // No one may listen any more.
                let _ = senders[lane].send(whole);
            }
        }
        any
    }
}

impl Wire for Mpi {
    fn ranks(&self) -> usize {
        self.from.len()
    }

    fn send(&self, to: usize, lane: Lane, message: Vec<u8>) -> Result<()> {
        let sender = self.to.lock().expect("no one panics");
        let Some(sender) = sender.as_ref() else { return Err(gone(to)) };
        sender.send((to, lane, message)).map_err(|_| gone(to))
    }

    fn receive(&self, from: usize, lane: Lane) -> Result<Vec<u8>> {
        self.from[from].receive(from, lane)
    }

    fn finish(&self) {
        self.to.lock().expect("no one panics").take();
        if let Some(talker) = self.talker.lock().expect("no one panics").take() {
            let _ = talker.join();
        }
    }
}
