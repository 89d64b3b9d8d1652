//! Which rank this process is, by what its launcher says in the environment.

use crate::error::{Error, Result};
use std::path::PathBuf;

/// A rank's place among all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankPlace {
    /// Its number; the first is 0.
    pub rank: usize,
    /// How many there are.
    pub count: usize,
    /// Its number among those of its host, as far as its launcher says.
    pub on_host: usize,
    /// Whether all are on one host, as far as is known: then they listen to nobody on another.
    pub is_one_host: bool,
    /// Where the first says how to reach it.
    pub file: PathBuf,
    /// Who started it.
    pub by: By,
}

/// Who started the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Someone who set `INUNDATE_RANK` and the like.
    Hand,
    /// Open MPI's `mpirun`.
    Mpi,
    /// Slurm's `srun`.
    Slurm,
    /// A process manager of MPICH's kind.
    Pmi,
    /// `torchrun` and the like.
    Torch,
}

/// The launchers that are known, in the order in which they are looked for: who starts ranks by another's hands comes first.
/// With names in the environment of the rank, of the number of ranks and of the rank on its host, and of what the job is called.
const LAUNCHERS: [(By, [&str; 3], &[&str]); 5] = [
    (By::Hand, ["INUNDATE_RANK", "INUNDATE_RANKS", "INUNDATE_RANK_ON_HOST"], &[]),
    (
        By::Mpi,
        ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"],
        &["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"],
    ),
    (
        By::Pmi,
        ["PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"],
        &["SLURM_JOB_ID", "SLURM_STEP_ID", "PBS_JOBID", "LSB_JOBID"],
    ),
    (By::Torch, ["RANK", "WORLD_SIZE", "LOCAL_RANK"], &["TORCHELASTIC_RUN_ID", "MASTER_PORT"]),
    // The job's own number of tasks also stands where no one started them.
    (
        By::Slurm,
        ["SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"],
        &["SLURM_JOB_ID", "SLURM_STEP_ID"],
    ),
];

/// How many ranks a launcher says that there are on this host.
fn count_on_host(by: By, get: &impl Fn(&str) -> Option<String>) -> Option<String> {
    match by {
        By::Mpi => get("OMPI_COMM_WORLD_LOCAL_SIZE"),
        By::Pmi => get("MPI_LOCALNRANKS"),
        By::Torch => get("LOCAL_WORLD_SIZE"),
        By::Hand | By::Slurm => None,
    }
}

/// Whether all of so many ranks are on one host: whoever starts them by hand on several names the first one's (`INUNDATE_HOST`).
fn is_one_host(by: By, count: usize, get: &impl Fn(&str) -> Option<String>) -> bool {
    if get(HOST).is_some() {
        return false;
    }
    match by {
        By::Hand => true,
        By::Slurm => get("SLURM_STEP_NUM_NODES").as_deref() == Some("1"),
        _ => count_on_host(by, get).and_then(|text| text.parse().ok()) == Some(count),
    }
}

/// What other hosts call that of the first rank, if it is named.
pub const HOST: &str = "INUNDATE_HOST";

/// The file that the first rank writes, if it is named.
const FILE: &str = "INUNDATE_ID_FILE";

/// The place that the environment says, if it says that there are several ranks.
pub fn of_environment(get: impl Fn(&str) -> Option<String>) -> Result<Option<RankPlace>> {
    for (by, variables, job) in LAUNCHERS {
        let [rank, count, on_host] = variables.map(&get);
        let (Some(rank), Some(count)) = (&rank, &count) else {
            if by == By::Hand && (rank.is_some() || count.is_some()) {
                return Err(Error::input("INUNDATE_RANK and INUNDATE_RANKS belong together")
                    .hint("set both, and INUNDATE_ID_FILE, for every rank"));
            }
            continue;
        };
        let number = |name: &str, text: &str| {
            text.parse::<usize>().map_err(|_| {
                Error::input(format!("{name}: '{text}' is no number of ranks"))
                    .hint("ranks are numbered from 0")
            })
        };
        let (rank, count) = (number(variables[0], rank)?, number(variables[1], count)?);
        if rank >= count {
            return Err(Error::input(format!(
                "{}: there is no rank {rank} of {count}; the first is 0",
                variables[0]
            )));
        }
        if count == 1 {
            // It may have been started by another who starts many.
            match by {
                By::Hand => return Ok(None),
                _ => continue,
            }
        }
        let on_host = on_host.and_then(|text| text.parse().ok()).unwrap_or(rank);
        let job: Vec<String> = job.iter().filter_map(|name| get(name)).collect();
        let file = match get(FILE) {
            Some(file) => PathBuf::from(file),
            None if !job.is_empty() => {
                let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
                let job: String = job.join("-").chars().map(plain).collect();
                PathBuf::from(format!(".inundate-{job}.ranks"))
            }
            None => {
                return Err(Error::input(format!("{count} ranks do not know where to meet"))
                    .hint("set INUNDATE_ID_FILE to a file that is not there yet, in a folder that all see"));
            }
        };
        let is_one_host = is_one_host(by, count, &get);
        return Ok(Some(RankPlace { rank, count, on_host, is_one_host, file, by }));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Result<Option<RankPlace>> {
        let find = |name: &str| pairs.iter().find(|pair| pair.0 == name).map(|p| p.1.to_string());
        of_environment(find)
    }

    #[test]
    fn launchers_are_told_by_what_they_set() {
        let slurm = [
            ("SLURM_PROCID", "2"),
            ("SLURM_STEP_NUM_TASKS", "4"),
            ("SLURM_LOCALID", "1"),
            ("SLURM_JOB_ID", "77"),
            ("SLURM_STEP_ID", "0"),
        ];
        let place = of(&slurm).unwrap().unwrap();
        assert_eq!((place.rank, place.count, place.on_host, place.by), (2, 4, 1, By::Slurm));
        assert_eq!(place.file, PathBuf::from(".inundate-77-0.ranks"));
        // The script of a job, and tasks that srun did not start, are alone.
        assert_eq!(of(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")]).unwrap(), None);
        let open_mpi = [
            ("OMPI_COMM_WORLD_RANK", "0"),
            ("OMPI_COMM_WORLD_SIZE", "3"),
            ("PMIX_NAMESPACE", "prte@1"),
            ("INUNDATE_ID_FILE", "/shared/here"),
        ];
        let place = of(&open_mpi).unwrap().unwrap();
        assert_eq!((place.by, place.file), (By::Mpi, PathBuf::from("/shared/here")));
        assert_eq!(of(&[("RANK", "0"), ("WORLD_SIZE", "1")]).unwrap(), None);
        // Slurm starts torchrun once on a node, and that the ranks.
        let within = [
            &[("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "1"), ("SLURM_JOB_ID", "77")][..],
            &[("RANK", "3"), ("WORLD_SIZE", "4"), ("LOCAL_RANK", "3"), ("MASTER_PORT", "29500")],
        ];
        let place = of(&within.concat()).unwrap().unwrap();
        assert_eq!((place.rank, place.count, place.by), (3, 4, By::Torch));
        // Whoever is said to be alone by hand is alone.
        let alone =
            [("INUNDATE_RANK", "0"), ("INUNDATE_RANKS", "1"), ("RANK", "1"), ("WORLD_SIZE", "2")];
        assert_eq!(of(&alone).unwrap(), None);
        assert_eq!(of(&[]).unwrap(), None);
    }

    #[test]
    fn ranks_of_one_host_are_known_by_what_their_launchers_set() {
        let is_one_host = |pairs: &[(&str, &str)]| of(pairs).unwrap().unwrap().is_one_host;
        let hand = [("INUNDATE_RANK", "0"), ("INUNDATE_RANKS", "2"), ("INUNDATE_ID_FILE", "meet")];
        assert!(is_one_host(&hand));
        assert!(!is_one_host(&[&hand[..], &[("INUNDATE_HOST", "node7")]].concat()));
        let slurm = [("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "2"), ("SLURM_JOB_ID", "77")];
        assert!(!is_one_host(&slurm));
        assert!(is_one_host(&[&slurm[..], &[("SLURM_STEP_NUM_NODES", "1")]].concat()));
        let torch = [("RANK", "0"), ("WORLD_SIZE", "4"), ("MASTER_PORT", "29500")];
        assert!(is_one_host(&[&torch[..], &[("LOCAL_WORLD_SIZE", "4")]].concat()));
        assert!(!is_one_host(&[&torch[..], &[("LOCAL_WORLD_SIZE", "2")]].concat()));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (bad, why) in [
            (&[("INUNDATE_RANK", "0")][..], "belong together"),
            (&[("INUNDATE_RANK", "3"), ("INUNDATE_RANKS", "3")], "no rank 3 of 3"),
            (&[("INUNDATE_RANK", "one"), ("INUNDATE_RANKS", "3")], "'one' is no number"),
            (&[("INUNDATE_RANK", "1"), ("INUNDATE_RANKS", "3")], "where to meet"),
        ] {
            let error = of(bad).unwrap_err();
            assert!(error.what.contains(why), "{error}");
        }
    }
}
