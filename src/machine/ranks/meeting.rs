//! Connects the ranks: the first one publishes its address in a file; the others connect to it and
//! receive the addresses of all.

use super::place::{HOST, RankPlace};
use super::tcp::Tcp;
use super::visitors::Visitors;
use crate::engine::backend::ranks::version;
use crate::engine::backend::ranks::wire::Wire;
use crate::engine::own_file;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Default time that ranks wait for each other (s); `INUNDATE_RANKS_WAIT` overrides it.
const WAIT: u64 = 120;

/// Interval between attempts.
const POLL_EVERY: Duration = Duration::from_millis(50);

/// Maximum length of a welcome or an invitation (bytes).
const LONGEST: u64 = 1 << 20;

/// Time limit for sending a message, and for the answer to a greeting; after that a rank greets
/// again.
const ANSWER: Duration = Duration::from_secs(20);

/// Address at which a rank listens.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Address {
    host: String,
    port: u16,
}

/// Contents of the file that the first rank writes.
#[derive(Debug, Deserialize, Serialize)]
struct Invitation {
    address: Address,
    /// Proves that its sender has read the file.
    token: String,
    version: String,
    ranks: usize,
}

/// First message of a rank that connects.
#[derive(Debug, Deserialize, Serialize)]
struct Greeting {
    token: String,
    rank: usize,
    address: Address,
    version: String,
}

/// Answer to a greeting: the addresses of all ranks, or the reason for the refusal.
type Welcome = std::result::Result<Vec<Address>, String>;

/// Connects to the other ranks.
///
/// # Errors
/// If a rank does not connect in time, or runs another version.
pub fn connect(place: &RankPlace) -> Result<Arc<dyn Wire>> {
    let until = Instant::now() + Duration::from_secs(wait()?);
    // Accept connections from other hosts only if ranks may run there.
    let interface = if place.is_one_host { Ipv4Addr::LOCALHOST } else { Ipv4Addr::UNSPECIFIED };
    let listener = TcpListener::bind((interface, 0)).map_err(|error| cannot("listen", error))?;
    let port = listener.local_addr().map_err(|error| cannot("listen", error))?.port();
    let address = Address { host: host(place.rank), port };
    let streams = match place.rank {
        0 => invite(place, listener, address, until)?,
        _ => join_first(place, listener, address, until)?,
    };
    Ok(Arc::new(Tcp::new(streams)?))
}

fn wait() -> Result<u64> {
    let Ok(text) = std::env::var("INUNDATE_RANKS_WAIT") else { return Ok(WAIT) };
    text.parse().map_err(|_| {
        Error::input(format!("INUNDATE_RANKS_WAIT: '{text}' is not a number of seconds"))
            .hint("leave it out, or give whole seconds")
    })
}

fn cannot(what: &str, error: std::io::Error) -> Error {
    Error::run(format!("cannot {what} for the other ranks")).because(error)
}

/// Returns the name of this host as seen by others. `INUNDATE_HOST` applies only to the first rank,
/// though launchers may set it for all.
fn host(rank: usize) -> String {
    let named = std::env::var(HOST).ok().filter(|_| rank == 0);
    let name = named.or_else(|| fs::read_to_string("/proc/sys/kernel/hostname").ok());
    name.map_or("localhost".into(), |name| name.trim().to_string())
}

/// Publishes the first rank's address and accepts the other ranks.
fn invite(
    place: &RankPlace,
    listener: TcpListener,
    address: Address,
    until: Instant,
) -> Result<Vec<Option<TcpStream>>> {
    let token = token()?;
    let mut visitors = Visitors::new(listener).map_err(|error| cannot("listen", error))?;
    let invitation = Invitation {
        address: address.clone(),
        token: token.clone(),
        version: version(),
        ranks: place.count,
    };
    let file = Posted::new(&place.file, &invitation)?;
    let mut others: Vec<Option<(TcpStream, Address)>> = (0..place.count).map(|_| None).collect();
    let missing = |others: &[Option<_>]| -> Vec<String> {
        (1..others.len()).filter(|&r| others[r].is_none()).map(|r| r.to_string()).collect()
    };
    while !missing(&others).is_empty() {
        let incomplete = || {
            let who = missing(&others).join(", ");
            Error::run(format!("ranks that did not connect: {who} (of {})", place.count))
                .hint("look for their errors, or raise INUNDATE_RANKS_WAIT (seconds)")
        };
        let visitor = visitors.next::<Greeting>(until).map_err(|error| cannot("listen", error))?;
        let Some((mut stream, greeting)) = visitor else { return Err(incomplete()) };
        // A client without the token is not a rank of this run.
        if greeting.token != token || greeting.rank >= place.count || greeting.rank == 0 {
            continue;
        }
        if greeting.version != version() {
            let why = format!(
                "rank {} runs inundate {}, but the first rank runs {}",
                greeting.rank,
                greeting.version,
                version()
            );
            let refused: Welcome = Err(why.clone());
            let _ = say(&mut stream, &refused);
            return Err(Error::input(why).hint("start the same program on every host"));
        }
        others[greeting.rank] = Some((stream, greeting.address));
    }
    drop(file);
    let all = others.iter().map(|other| other.as_ref().map_or(&address, |other| &other.1));
    let welcome: Welcome = Ok(all.cloned().collect());
    let mut streams: Vec<_> = others.into_iter().map(|other| other.map(|other| other.0)).collect();
    for stream in streams.iter_mut().flatten() {
        say(stream, &welcome).map_err(|error| cannot("speak", error))?;
    }
    Ok(streams)
}

/// Connects another rank: to the first, which sends it all addresses, and to the ranks before it.
/// Accepts the connections of the ranks after it.
fn join_first(
    place: &RankPlace,
    listener: TcpListener,
    address: Address,
    until: Instant,
) -> Result<Vec<Option<TcpStream>>> {
    let mut visitors = Visitors::new(listener).map_err(|error| cannot("listen", error))?;
    let not_found = || {
        let file = place.file.display();
        Error::run(format!("rank {}: cannot reach the first rank through {file}", place.rank))
            .hint("set INUNDATE_ID_FILE to a file in a folder that all hosts share")
    };
    let mut greeting =
        Greeting { token: String::new(), rank: place.rank, address, version: version() };
    let (mut first, token, known) = loop {
        // The file of a run that crashed may exist until the first rank replaces it.
        if let Some(invitation) = invitation(place)?
            && fits(&invitation, place)?
            && let Ok(mut stream) = call(&invitation.address)
        {
            greeting.token.clone_from(&invitation.token);
            if say(&mut stream, &greeting).is_ok() {
                // If there is no answer, another program may listen there now. Otherwise greet
                // again.
                if let Ok(welcome) = receive::<Welcome>(&mut stream, Instant::now() + ANSWER) {
                    let known = welcome.map_err(|why| {
                        Error::input(why).hint("start the same program on every host")
                    })?;
                    if known.len() == place.count {
                        break (stream, invitation.token, known);
                    }
                }
            }
        }
        if Instant::now() > until {
            return Err(not_found());
        }
        sleep(POLL_EVERY);
    };
    let mut streams: Vec<Option<TcpStream>> = (0..place.count).map(|_| None).collect();
    for rank in 1..place.rank {
        let mut stream = call(&known[rank]).map_err(|error| {
            let Address { host, port } = &known[rank];
            cannot(&format!("reach {host}:{port}"), error)
        })?;
        say(&mut stream, &greeting).map_err(|error| cannot("speak", error))?;
        streams[rank] = Some(stream);
    }
    while streams[place.rank + 1..].iter().any(Option::is_none) {
        let visitor = visitors.next::<Greeting>(until).map_err(|error| cannot("listen", error))?;
        let Some((stream, other)) = visitor else { return Err(not_found()) };
        if other.token == token && (place.rank + 1..place.count).contains(&other.rank) {
            streams[other.rank] = Some(stream);
        }
    }
    let _ = first.flush();
    streams[0] = Some(first);
    Ok(streams)
}

/// Connects to another rank; on this host, through the loopback interface.
fn call(address: &Address) -> std::io::Result<TcpStream> {
    let here = [host(0), host(1)].contains(&address.host).then_some("127.0.0.1");
    let mut last = std::io::Error::other("it has no address");
    for name in here.into_iter().chain([address.host.as_str()]) {
        match (name, address.port).to_socket_addrs() {
            Err(error) => last = error,
            Ok(all) => {
                for one in all {
                    match TcpStream::connect_timeout(&one, Duration::from_secs(5)) {
                        Ok(stream) => return Ok(stream),
                        Err(error) => last = error,
                    }
                }
            }
        }
    }
    Err(last)
}

fn say(stream: &mut TcpStream, message: &impl Serialize) -> std::io::Result<()> {
    let text = serde_json::to_vec(message)?;
    stream.set_write_timeout(Some(ANSWER))?;
    stream.write_all(&(text.len() as u64).to_le_bytes())?;
    stream.write_all(&text)?;
    stream.set_write_timeout(None)
}

/// Receives a message that must be complete by a given time.
fn receive<T: for<'de> Deserialize<'de>>(
    stream: &mut TcpStream,
    until: Instant,
) -> std::io::Result<T> {
    let mut length = [0; 8];
    hear_bytes(stream, &mut length, until)?;
    let mut text = vec![0; u64::from_le_bytes(length).min(LONGEST) as usize];
    hear_bytes(stream, &mut text, until)?;
    stream.set_read_timeout(None)?;
    Ok(serde_json::from_slice(&text)?)
}

fn hear_bytes(stream: &mut TcpStream, bytes: &mut [u8], until: Instant) -> std::io::Result<()> {
    let mut received = 0;
    while received < bytes.len() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(std::io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut bytes[received..])? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            more => received += more,
        }
    }
    Ok(())
}

/// Returns a random word that cannot be guessed.
fn token() -> Result<String> {
    let mut bytes = [0u8; 16];
    let read = fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|error| cannot("make a token", error))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns `true` if an invitation is for the same number of ranks.
///
/// # Errors
/// If it is, and was written by another version.
fn fits(invitation: &Invitation, place: &RankPlace) -> Result<bool> {
    if invitation.ranks == place.count && invitation.version != version() {
        let what = format!(
            "this rank runs inundate {}, but the first rank runs {}",
            version(),
            invitation.version
        );
        return Err(Error::input(what).hint("start the same program on every host"));
    }
    // The file of a run that crashed may be for any number of ranks.
    Ok(invitation.ranks == place.count)
}

/// Reads the first rank's file; `None` if it does not exist yet.
///
/// # Errors
/// If another user may have written it: this rank would execute that user's commands.
fn invitation(place: &RankPlace) -> Result<Option<Invitation>> {
    let file = match own_file::open(&place.file) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let (rank, shown) = (place.rank, place.file.display());
            return Err(Error::input(format!("rank {rank}: cannot trust '{shown}'"))
                .because(error)
                .hint(
                    "set INUNDATE_ID_FILE to a new file in a folder where no other user can write",
                ));
        }
    };
    Ok(read_invitation(file))
}

/// Reads an invitation; `None` if the file holds something else.
fn read_invitation(file: impl Read) -> Option<Invitation> {
    let mut text = Vec::new();
    file.take(LONGEST).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

/// The first rank's file, deleted once all ranks are connected.
struct Posted<'a>(&'a Path);

impl Posted<'_> {
    fn new<'a>(file: &'a Path, invitation: &Invitation) -> Result<Posted<'a>> {
        let failed = |error: std::io::Error| {
            Error::run(format!("cannot write {}", file.display()))
                .because(error)
                .hint("set INUNDATE_ID_FILE to a file in a folder to which all ranks can write")
        };
        // The file of a run that crashed may be replaced.
        let is_ours = || own_file::open(file).is_ok_and(|file| read_invitation(file).is_some());
        if fs::symlink_metadata(file).is_ok() && !is_ours() {
            let what = format!(
                "INUNDATE_ID_FILE: '{}' exists already and was not written by ranks",
                file.display()
            );
            return Err(Error::input(what).hint("name a file that does not exist"));
        }
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut whole =
            tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).map_err(failed)?;
        let text = serde_json::to_vec(invitation).expect("words");
        whole.write_all(&text).map_err(failed)?;
        // It appears complete, and only its owner can read it.
        whole.persist(file).map_err(|error| failed(error.error))?;
        Ok(Posted(file))
    }
}

impl Drop for Posted<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.0);
    }
}
