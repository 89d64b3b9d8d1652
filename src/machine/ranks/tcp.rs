//! A wire over TCP, with a writing thread and a reading thread for every other rank.

use crate::engine::backend::ranks::wire::{Inbox, Tag, Wire, gone};
use crate::error::{Error, Result};
use socket2::{SockRef, TcpKeepalive};
use std::io::{BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

/// Time after which a host that does not respond counts as gone.
const SILENCE: Duration = Duration::from_secs(60);

/// Tag and message.
type Posted = (Tag, Vec<u8>);

/// A connection to another rank.
struct Connection {
    to: Mutex<Option<Sender<Posted>>>,
    from: Inbox,
    writer: Mutex<Option<JoinHandle<()>>>,
}

/// Connections to all other ranks.
pub struct Tcp {
    /// By rank; `None` for this rank.
    lines: Vec<Option<Connection>>,
}

impl Tcp {
    /// Creates a wire from open connections, by rank.
    pub fn new(streams: Vec<Option<TcpStream>>) -> Result<Tcp> {
        let line = |stream: Option<TcpStream>| stream.map(Connection::over).transpose();
        let lines = streams.into_iter().map(line).collect::<std::io::Result<_>>();
        let lines = lines
            .map_err(|error| Error::run("cannot set up connections to ranks").because(error))?;
        Ok(Tcp { lines })
    }

    fn line(&self, rank: usize) -> &Connection {
        self.lines[rank].as_ref().expect("another rank")
    }
}

impl Connection {
    fn over(stream: TcpStream) -> std::io::Result<Connection> {
        stream.set_nodelay(true)?;
        let alive = TcpKeepalive::new().with_time(SILENCE / 2).with_interval(SILENCE / 6);
        SockRef::from(&stream).set_tcp_keepalive(&alive.with_retries(3))?;
        // Also limit the time for which sent data may stay unacknowledged.
        SockRef::from(&stream).set_tcp_user_timeout(Some(SILENCE))?;
        let reader = stream.try_clone()?;
        let (to, posted) = channel::<Posted>();
        let writer = spawn(move || {
            let mut stream = stream;
            for (tag, message) in posted {
                let mut head = [0; 9];
                head[0] = tag as u8;
                head[1..].copy_from_slice(&(message.len() as u64).to_le_bytes());
                // A lost rank is reported when a message from it is awaited.
                if stream.write_all(&head).and_then(|()| stream.write_all(&message)).is_err() {
                    break;
                }
            }
            let _ = stream.shutdown(Shutdown::Write);
        });
        let (senders, from) = Inbox::new();
        spawn(move || read(reader, &senders));
        Ok(Connection { to: Mutex::new(Some(to)), from, writer: Mutex::new(Some(writer)) })
    }
}

/// Reads messages until the connection is closed or a message is malformed.
fn read(stream: TcpStream, to: &[Sender<Vec<u8>>]) {
    let mut stream = BufReader::with_capacity(1 << 16, stream);
    loop {
        let mut head = [0; 9];
        if stream.read_exact(&mut head).is_err() {
            return;
        }
        let length = u64::from_le_bytes(head[1..].try_into().expect("eight bytes"));
        let mut message = Vec::new();
        let whole = stream.by_ref().take(length).read_to_end(&mut message);
        let sender = to.get(usize::from(head[0]));
        match (whole, sender) {
            (Ok(bytes), Some(sender)) if bytes as u64 == length => {
                // The receiver may be gone.
                let _ = sender.send(message);
            }
            _ => return,
        }
    }
}

impl Wire for Tcp {
    fn ranks(&self) -> usize {
        self.lines.len()
    }

    fn send(&self, to: usize, tag: Tag, message: Vec<u8>) -> Result<()> {
        let sender = self.line(to).to.lock().expect("no one panics");
        // `finish` has already closed the connection.
        let Some(sender) = sender.as_ref() else { return Err(gone(to)) };
        sender.send((tag, message)).map_err(|_| gone(to))
    }

    fn finish(&self) {
        for line in self.lines.iter().flatten() {
            line.to.lock().expect("no one panics").take();
            if let Some(writer) = line.writer.lock().expect("no one panics").take() {
                let _ = writer.join();
            }
        }
    }

    fn receive(&self, from: usize, tag: Tag) -> Result<Vec<u8>> {
        self.line(from).from.receive(from, tag)
    }
}
