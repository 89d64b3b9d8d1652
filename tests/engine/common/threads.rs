//! Ranks that are threads of one process.

use inundate_engine::backend::ranks::wire::{Inbox, Senders, Tag, Wire, gone};
use inundate_engine::error::Result;
use std::sync::{Arc, Mutex};

/// Creates the wires between ranks that are threads of one process.
pub fn between_threads(ranks: usize) -> Vec<Arc<dyn Wire>> {
    let mut senders: Vec<Vec<Senders>> = vec![Vec::new(); ranks];
    let mut inboxes: Vec<Vec<Inbox>> = (0..ranks).map(|_| Vec::new()).collect();
    for from in &mut senders {
        for to in &mut inboxes {
            let (send, inbox) = Inbox::new();
            from.push(send);
            to.push(inbox);
        }
    }
    let wire = |(to, from)| -> Arc<dyn Wire> { Arc::new(Threads { to, from }) };
    let to = senders.into_iter().map(Mutex::new);
    to.zip(inboxes).map(wire).collect()
}

/// A wire to other threads.
struct Threads {
    /// By rank and tag.
    to: Mutex<Vec<Senders>>,
    /// By rank.
    from: Vec<Inbox>,
}

impl Wire for Threads {
    fn ranks(&self) -> usize {
        self.from.len()
    }

    fn send(&self, to: usize, tag: Tag, message: Vec<u8>) -> Result<()> {
        let senders = self.to.lock().expect("no one panics");
        senders[to][tag as usize].send(message).map_err(|_| gone(to))
    }

    fn receive(&self, from: usize, tag: Tag) -> Result<Vec<u8>> {
        self.from[from].receive(from, tag)
    }
}
