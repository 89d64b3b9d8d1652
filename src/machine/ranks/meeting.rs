//! How ranks find each other: the first says in a file where it listens, the others come and are told of each other.

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

/// How long ranks wait for each other (s), unless `INUNDATE_RANKS_WAIT` says otherwise.
const WAIT: u64 = 120;

/// How often they look.
const LOOK: Duration = Duration::from_millis(50);

/// The longest welcome, and the longest invitation (bytes).
const LONGEST: u64 = 1 << 20;

/// How long a rank waits for the answer to its greeting before it greets again, and for another to take what it says.
const ANSWER: Duration = Duration::from_secs(20);

/// Where a rank listens.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Address {
    host: String,
    port: u16,
}

/// What the first rank writes into the file.
#[derive(Debug, Deserialize, Serialize)]
struct Invitation {
    address: Address,
    /// Who knows it has read the file.
    token: String,
    version: String,
    ranks: usize,
}

/// What a rank says when it comes.
#[derive(Debug, Deserialize, Serialize)]
struct Greeting {
    token: String,
    rank: usize,
    address: Address,
    version: String,
}

/// What it is told: where all listen, or why it is not let in.
type Welcome = std::result::Result<Vec<Address>, String>;

/// Meets the other ranks. An error if one does not come in time, or is of another version.
pub fn connect(place: &RankPlace) -> Result<Arc<dyn Wire>> {
    let until = Instant::now() + Duration::from_secs(wait()?);
    // Nobody on another host is listened to unless there are ranks.
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
        Error::input(format!("INUNDATE_RANKS_WAIT: '{text}' is no number of seconds"))
            .hint("leave it out, or give whole seconds")
    })
}

fn cannot(what: &str, error: std::io::Error) -> Error {
    Error::run(format!("cannot {what} for the other ranks")).because(error)
}

/// What other hosts call this one; launchers tell all ranks what was meant for the first.
fn host(rank: usize) -> String {
    let named = std::env::var(HOST).ok().filter(|_| rank == 0);
    named.map_or_else(own_host, |name| name.trim().to_string())
}

/// What this host calls itself.
fn own_host() -> String {
    let asked = fs::read_to_string("/proc/sys/kernel/hostname");
    asked.map_or("localhost".into(), |name| name.trim().to_string())
}

/// The first rank says where it is, and takes the others in.
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
            Error::run(format!("ranks that did not come: {who} (of {})", place.count))
                .hint("look at what they said; INUNDATE_RANKS_WAIT is how many seconds they have")
        };
        let visitor = visitors.next::<Greeting>(until).map_err(|error| cannot("listen", error))?;
        let Some((mut stream, greeting)) = visitor else { return Err(incomplete()) };
        // Whoever does not know the token is no rank.
        if greeting.token != token || greeting.rank >= place.count || greeting.rank == 0 {
            continue;
        }
        if greeting.version != version() {
            let why = format!(
                "rank {} is inundate {}, and the first is {}",
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

/// Another rank comes, is told of the others, and meets those before it; those after it come to it.
fn join_first(
    place: &RankPlace,
    listener: TcpListener,
    address: Address,
    until: Instant,
) -> Result<Vec<Option<TcpStream>>> {
    let mut visitors = Visitors::new(listener).map_err(|error| cannot("listen", error))?;
    let not_found = || {
        let file = place.file.display();
        Error::run(format!("rank {}: the first rank is not to be found by {file}", place.rank))
            .hint("ranks need a folder that all hosts see; INUNDATE_ID_FILE names a file in it")
    };
    let mut greeting =
        Greeting { token: String::new(), rank: place.rank, address, version: version() };
    let (mut first, token, known) = loop {
        // The file of a run that died may lie there until the first rank writes a new one.
        if let Some(invitation) = invitation(place)?
            && fits(&invitation, place)?
            && let Ok(mut stream) = call(&invitation.address)
        {
            greeting.token.clone_from(&invitation.token);
            if say(&mut stream, &greeting).is_ok() {
                // Whoever stays silent may be another who listens there now; else it is greeted again.
                if let Ok(welcome) = hear::<Welcome>(&mut stream, Instant::now() + ANSWER) {
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
        sleep(LOOK);
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

/// Calls another rank, on this host past its network.
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

/// Hears a message that comes whole by some time.
fn hear<T: for<'de> Deserialize<'de>>(
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
    let mut heard = 0;
    while heard < bytes.len() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(std::io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut bytes[heard..])? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            more => heard += more,
        }
    }
    Ok(())
}

/// A word that no one guesses.
fn token() -> Result<String> {
    let mut bytes = [0u8; 16];
    let read = fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|error| cannot("make a token", error))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether an invitation is meant for as many; an error if it is of another version.
fn fits(invitation: &Invitation, place: &RankPlace) -> Result<bool> {
    if invitation.ranks == place.count && invitation.version != version() {
        let what =
            format!("this rank is inundate {}, and the first is {}", version(), invitation.version);
        return Err(Error::input(what).hint("start the same program on every host"));
    }
    // One of a run that died may be of any number.
    Ok(invitation.ranks == place.count)
}

/// What the first rank has written, if it has.
///
/// # Errors
/// If another user can have written it: this rank would compute whatever that one asks.
fn invitation(place: &RankPlace) -> Result<Option<Invitation>> {
    let file = match own_file::open(&place.file) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let (rank, shown) = (place.rank, place.file.display());
            return Err(Error::input(format!("rank {rank}: cannot trust '{shown}'"))
                .because(error)
                .hint("INUNDATE_ID_FILE names a file that is not there yet, in a folder where no other user can write"));
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

/// The file while ranks meet; it goes when they have met.
struct Posted<'a>(&'a Path);

impl Posted<'_> {
    fn new<'a>(file: &'a Path, invitation: &Invitation) -> Result<Posted<'a>> {
        let failed = |error: std::io::Error| {
            Error::run(format!("cannot write {}", file.display()))
                .because(error)
                .hint("INUNDATE_ID_FILE names a file in a folder that all ranks see and may write")
        };
        // One of ranks that died may be there.
        let is_ours = || own_file::open(file).is_ok_and(|file| read_invitation(file).is_some());
        if fs::symlink_metadata(file).is_ok() && !is_ours() {
            let what = format!(
                "INUNDATE_ID_FILE: '{}' exists already and is not a file of ranks",
                file.display()
            );
            return Err(Error::input(what).hint("name a file that does not exist"));
        }
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut whole =
            tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).map_err(failed)?;
        let text = serde_json::to_vec(invitation).expect("words");
        whole.write_all(&text).map_err(failed)?;
        // It appears whole; only its owner reads it.
        whole.persist(file).map_err(|error| failed(error.error))?;
        Ok(Posted(file))
    }
}

impl Drop for Posted<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.0);
    }
}
