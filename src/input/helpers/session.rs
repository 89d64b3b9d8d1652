//! One raster that helpers have open: its jobs are shared out, and taken in their order.

use super::order::{Answer, Open, Order, confused, pack, unpack};
use super::version::{Compared, Meaning, Seen};
use super::{Helpers, values};
use crate::engine::notices;
use crate::error::{Error, Result};
use crate::input::checksum;
use crate::input::raster::{RasterFile, Undeclared};
use crate::input::totals::RowTotal;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::MutexGuard;

/// So many jobs each helper has under way: one to do, and one to go on with.
const UNDER_WAY: usize = 2;

/// At most about so many cells have been read, or are being read, and were not looked at (2 GiB).
const MOST_AHEAD: usize = 1 << 28;

/// A raster that helpers have open.
pub struct Session<'a> {
    by: &'a dyn Helpers,
    file: &'a RasterFile,
    told: MutexGuard<'a, HashSet<usize>>,
    /// Those who see the same file.
    helpers: Vec<usize>,
}

/// How a job is done.
pub struct Ways<O, H, T> {
    /// What a helper is asked.
    pub order: O,
    /// How it is done by this process.
    pub here: H,
    /// What a helper's answer comes to.
    pub there: T,
}

/// What a helper answered.
pub struct Came<'a> {
    from: usize,
    answer: Answer,
    rest: &'a [u8],
}

/// Jobs that were given out.
struct Given<T> {
    /// The jobs that each helper has not answered, the first first; by its place among the helpers.
    under_way: Vec<VecDeque<usize>>,
    /// The first job that no one was given.
    next: usize,
    /// Jobs that are done and not looked at.
    done: HashMap<usize, Result<T>>,
}

impl Came<'_> {
    /// Its values, of which there must be as many as there is room for; returns what was taken as NoData.
    pub fn values(self, to: &mut [f64]) -> Result<Undeclared> {
        let Answer::Values(undeclared) = self.answer else {
            return Err(confused(self.from, &"no values"));
        };
        values::take(self.rest, to).map_err(|error| confused(self.from, &error.what))?;
        Ok(undeclared)
    }

    /// What so many rows add up to, and what was taken as NoData in them.
    pub fn totals(self, count: usize) -> Result<(Vec<RowTotal>, Undeclared)> {
        match self.answer {
            Answer::Totals(rows, undeclared) if rows.len() == count => Ok((rows, undeclared)),
            _ => Err(confused(self.from, &"no totals")),
        }
    }
}

impl<'a> Session<'a> {
    /// Asks all helpers to open a raster, and waits for what they see; none if no one sees the same.
    pub(super) fn begin(
        by: &'a dyn Helpers,
        told: MutexGuard<'a, HashSet<usize>>,
        file: &'a RasterFile,
        open: Open,
    ) -> Result<Option<Session<'a>>> {
        let mine = Seen {
            host: String::new(),
            files: Seen::files(&file.path),
            raster: Ok(Meaning::of(file, open.onto.as_ref())),
        };
        let order = pack(&Order::Open(Box::new(open)));
        let all = 1..=by.count();
        all.clone().try_for_each(|who| by.ask(who, order.clone()))?;
        let seen: Vec<Seen> = all.map(|who| seen_by(by, who)).collect::<Result<_>>()?;
        let mut session = Session { by, file, told, helpers: Vec::new() };
        let (mut unsure, mut unread) = (Vec::new(), Vec::new());
        for (who, seen) in (1..).zip(&seen) {
            match mine.compare(seen) {
                Compared::Same => session.helpers.push(who),
                Compared::Unsure => unsure.push((who, seen)),
                Compared::Unread(why) => unread.push((who, why)),
                Compared::Another(what) => return Err(session.another(who, seen, &what)),
            }
        }
        session.compare_sums(&unsure)?;
        session.tell(&unread);
        Ok((!session.helpers.is_empty()).then_some(session))
    }

    /// Files that were changed at another time are the same if their bytes are.
    fn compare_sums(&mut self, unsure: &[(usize, &Seen)]) -> Result<()> {
        if unsure.is_empty() {
            return Ok(());
        }
        for (who, _) in unsure {
            self.by.ask(*who, pack(&Order::Checksum))?;
        }
        let mine = checksum::of_input(&self.file.path)?;
        for &(who, seen) in unsure {
            match unpack(&self.by.answer(who)?, who)? {
                (Answer::Checksum(Some(theirs)), _) if theirs == mine => self.helpers.push(who),
                _ => return Err(self.another(who, seen, "as long, of other contents")),
            }
        }
        self.helpers.sort_unstable();
        Ok(())
    }

    /// The error of a helper who sees another version of the file.
    fn another(&self, who: usize, seen: &Seen, what: &str) -> Error {
        let (role, shown) = (&self.file.role, self.file.path.display());
        Error::input(format!(
            "{role}: rank {who} (on {}) sees another '{shown}' than the first: {what}",
            seen.host
        ))
        .hint("let all ranks see one file, on a disk that all hosts have; or copy it to all of them anew")
    }

    /// Says, once of each, who cannot read what this process reads.
    fn tell(&mut self, unread: &[(usize, String)]) {
        let new: Vec<_> = unread.iter().filter(|(who, _)| self.told.insert(*who)).collect();
        let Some((_, why)) = new.first() else { return };
        let who: Vec<String> = new.iter().map(|(who, _)| who.to_string()).collect();
        let (ranks, who) = (if who.len() == 1 { "rank" } else { "ranks" }, who.join(", "));
        notices::say(&format!(
            "note: {}: {ranks} {who} cannot read '{}' ({why}); the others read it, and whatever else is not to be read there",
            self.file.role,
            self.file.path.display()
        ));
    }

    /// Does jobs, by all who are there, and hands over what comes of them in their order. What goes wrong with one is an error
    /// when its turn comes, that of this process.
    pub fn in_order<J, T>(
        &mut self,
        jobs: &[J],
        cells: usize,
        mut ways: Ways<
            impl Fn(&J) -> Order,
            impl FnMut(&J) -> Result<T>,
            impl Fn(&J, Came<'_>) -> Result<T>,
        >,
        mut each: impl FnMut(&J, T) -> Result<()>,
    ) -> Result<()> {
        let most = (UNDER_WAY + 1) * (self.helpers.len() + 1);
        let ahead = (MOST_AHEAD / cells.max(1)).clamp(2, most);
        let under_way = vec![VecDeque::new(); self.helpers.len()];
        let mut given = Given { under_way, next: 0, done: HashMap::new() };
        let mut ended = Ok(());
        for turn in 0..jobs.len() {
            let last = jobs.len().min(turn + ahead);
            let found = self.until_done(turn, (jobs, last), &mut given, &mut ways);
            ended = found.and_then(|found| each(&jobs[turn], found));
            if ended.is_err() {
                break;
            }
        }
        // What is still to come is not taken for the answer to what is asked next.
        for (&who, jobs) in self.helpers.iter().zip(&given.under_way) {
            let _ = jobs.iter().try_for_each(|_| self.by.answer(who).map(|_| ()));
        }
        ended
    }

    /// Gives out jobs before the last, and does some here, until that whose turn it is is done.
    fn until_done<J, T>(
        &mut self,
        turn: usize,
        (jobs, last): (&[J], usize),
        given: &mut Given<T>,
        ways: &mut Ways<
            impl Fn(&J) -> Order,
            impl FnMut(&J) -> Result<T>,
            impl Fn(&J, Came<'_>) -> Result<T>,
        >,
    ) -> Result<T> {
        loop {
            for at in 0..self.helpers.len() {
                while let Some(bytes) = self.by.answered(self.helpers[at])? {
                    self.take(at, &bytes, jobs, given, ways);
                }
            }
            for full in 1..=UNDER_WAY {
                for (&who, under_way) in self.helpers.iter().zip(&mut given.under_way) {
                    if under_way.len() < full && given.next < last {
                        self.by.ask(who, pack(&(ways.order)(&jobs[given.next])))?;
                        under_way.push_back(given.next);
                        given.next += 1;
                    }
                }
            }
            if let Some(found) = given.done.remove(&turn) {
                return found;
            }
            if given.next < last {
                let job = given.next;
                given.next += 1;
                given.done.insert(job, (ways.here)(&jobs[job]));
                continue;
            }
            let has_it = |under_way: &VecDeque<usize>| under_way.contains(&turn);
            let at = given.under_way.iter().position(has_it).expect("someone has it");
            let bytes = self.by.answer(self.helpers[at])?;
            self.take(at, &bytes, jobs, given, ways);
        }
    }

    /// Takes a helper's answer to the first of its jobs. What it could not do is done here.
    fn take<J, T>(
        &mut self,
        at: usize,
        bytes: &[u8],
        jobs: &[J],
        given: &mut Given<T>,
        ways: &mut Ways<
            impl Fn(&J) -> Order,
            impl FnMut(&J) -> Result<T>,
            impl Fn(&J, Came<'_>) -> Result<T>,
        >,
    ) {
        let who = self.helpers[at];
        let job = given.under_way[at].pop_front().expect("it answers what it was asked");
        let found = match unpack(bytes, who) {
            Ok((Answer::Failed(why), _)) => {
                let found = (ways.here)(&jobs[job]);
                // Else it is the file that is at fault.
                if found.is_ok() {
                    self.tell(&[(who, why)]);
                }
                found
            }
            Ok((answer, rest)) => (ways.there)(&jobs[job], Came { from: who, answer, rest }),
            Err(error) => Err(error),
        };
        given.done.insert(job, found);
    }
}

/// What a helper sees of a raster that it was asked to open.
fn seen_by(by: &dyn Helpers, who: usize) -> Result<Seen> {
    match unpack(&by.answer(who)?, who)? {
        (Answer::Seen(seen), _) => Ok(*seen),
        _ => Err(confused(who, &"it opened nothing")),
    }
}
