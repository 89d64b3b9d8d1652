//! Incoming connections that have not identified themselves yet. All of them are read concurrently,
//! so that a silent or slow one does not delay the others.

use serde::Deserialize;
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Result};
use std::net::{TcpListener, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Interval between reads.
const LISTEN: Duration = Duration::from_millis(5);
/// Maximum length of a greeting (bytes).
const LONGEST: usize = 1 << 16;
/// Time limit for a greeting.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum number of connections; the oldest one is dropped if there are more.
const MOST: usize = 512;

/// Connections whose greeting is not complete.
pub struct Visitors {
    listener: TcpListener,
    all: VecDeque<Visitor>,
}

struct Visitor {
    stream: TcpStream,
    since: Instant,
    /// Bytes received: the length of the greeting, then the greeting.
    received: Vec<u8>,
}

/// Result of reading from a connection.
enum ReadResult {
    Whole,
    Part,
    Nonsense,
}

impl Visitors {
    /// Creates an empty set of connections.
    ///
    /// # Errors
    /// If the listener cannot be made non-blocking.
    pub fn new(listener: TcpListener) -> Result<Visitors> {
        listener.set_nonblocking(true)?;
        Ok(Visitors { listener, all: VecDeque::new() })
    }

    /// Returns the next connection whose greeting is complete; `None` if there is none in time.
    ///
    /// # Errors
    /// If the listener fails.
    pub fn next<T: for<'de> Deserialize<'de>>(
        &mut self,
        until: Instant,
    ) -> Result<Option<(TcpStream, T)>> {
        loop {
            self.let_in()?;
            let mut at = 0;
            while at < self.all.len() {
                let received = self.all[at].listen();
                let is_late = self.all[at].since.elapsed() > PATIENCE;
                match received {
                    ReadResult::Part if !is_late => at += 1,
                    ReadResult::Part | ReadResult::Nonsense => drop(self.all.remove(at)),
                    ReadResult::Whole => {
                        let visitor = self.all.remove(at).expect("it is there");
                        let Ok(greeting) = serde_json::from_slice(&visitor.received[8..]) else {
                            continue;
                        };
                        if visitor.stream.set_nonblocking(false).is_ok() {
                            return Ok(Some((visitor.stream, greeting)));
                        }
                    }
                }
            }
            if Instant::now() > until {
                return Ok(None);
            }
            sleep(LISTEN);
        }
    }

    /// Accepts all pending connections.
    fn let_in(&mut self) -> Result<()> {
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => {
                    if stream.set_nonblocking(true).is_err() {
                        continue;
                    }
                    if self.all.len() == MOST {
                        self.all.pop_front();
                    }
                    let since = Instant::now();
                    self.all.push_back(Visitor { stream, since, received: Vec::new() });
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                // The client closed the connection before it was accepted.
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Visitor {
    /// Reads what has arrived, up to the end of the greeting.
    fn listen(&mut self) -> ReadResult {
        loop {
            let whole = match self.received.first_chunk::<8>() {
                None => 8,
                Some(length) => match usize::try_from(u64::from_le_bytes(*length)) {
                    Ok(length) if length <= LONGEST => 8 + length,
                    _ => return ReadResult::Nonsense,
                },
            };
            if self.received.len() == whole {
                return if whole > 8 { ReadResult::Whole } else { ReadResult::Nonsense };
            }
            let known = self.received.len();
            let mut more = [0; 4096];
            let wanted = (whole - known).min(more.len());
            match self.stream.read(&mut more[..wanted]) {
                Ok(0) => return ReadResult::Nonsense,
                Ok(count) => self.received.extend_from_slice(&more[..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return ReadResult::Part,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return ReadResult::Nonsense,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn say(stream: &mut TcpStream, text: &str) {
        stream.write_all(&(text.len() as u64).to_le_bytes()).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn silent_and_slow_visitors_and_nonsense_hold_nobody_up() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let mut visitors = Visitors::new(listener).unwrap();
        let call = || TcpStream::connect(address).unwrap();
        let silent: Vec<TcpStream> = (0..5).map(|_| call()).collect();
        let mut slow = call();
        slow.write_all(&7u64.to_le_bytes()).unwrap();
        slow.write_all(b"\"a").unwrap();
        for nonsense in [&u64::MAX.to_le_bytes()[..], &[0; 8], &[3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]] {
            call().write_all(nonsense).unwrap();
        }
        let mut rank = call();
        say(&mut rank, "\"rank 1\"");
        // Bytes after the greeting are left for the new owner of the connection.
        rank.write_all(b"more").unwrap();
        let soon = || Instant::now() + Duration::from_secs(60);
        let (mut stream, greeting) = visitors.next::<String>(soon()).unwrap().unwrap();
        assert_eq!(greeting, "rank 1");
        let mut more = [0; 4];
        stream.read_exact(&mut more).unwrap();
        assert_eq!(&more, b"more");
        slow.write_all(b"bcde\"").unwrap();
        let (_, greeting) = visitors.next::<String>(soon()).unwrap().unwrap();
        assert_eq!(greeting, "abcde");
        assert!(visitors.next::<String>(Instant::now()).unwrap().is_none());
        drop(silent);
    }
}
