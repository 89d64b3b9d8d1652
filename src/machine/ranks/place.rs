//! Determines the rank of this process from environment variables set by its launcher.

use crate::error::{Error, Result};
use std::path::PathBuf;

/// Number of a rank, and where to find the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankPlace {
    /// Rank number, from 0.
    pub rank: usize,
    /// Number of ranks.
    pub count: usize,
    /// Number of the rank on its host; the rank number if the launcher does not set one.
    pub on_host: usize,
    /// Set if all ranks are known to be on one host; they then accept no connections from other
    /// hosts.
    pub is_one_host: bool,
    /// File in which the first rank publishes its address.
    pub file: PathBuf,
    /// Launcher that started the rank.
    pub by: By,
}

/// Launcher of the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The user, by setting `INUNDATE_RANK` and related variables.
    Hand,
    /// Open MPI's `mpirun`.
    Mpi,
    /// Slurm's `srun`.
    Slurm,
    /// A PMI process manager, such as MPICH's.
    Pmi,
    /// `torchrun` and compatible launchers.
    Torch,
}

/// Supported launchers, in the order in which they are checked: one that may start its ranks
/// through another comes before that one. Each has the names of the variables with the rank, the
/// number of ranks and the rank on its host, and of those that identify the job.
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
    // Slurm also sets the job's number of tasks where srun has not started them.
    (
        By::Slurm,
        ["SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"],
        &["SLURM_JOB_ID", "SLURM_STEP_ID"],
    ),
];

/// Returns `true` if all `count` ranks are known to be on one host. Ranks started by hand are,
/// unless `INUNDATE_HOST` names the first one's host.
fn is_one_host(by: By, count: usize, get: &impl Fn(&str) -> Option<String>) -> bool {
    if get(HOST).is_some() {
        return false;
    }
    let count_on_host = |name| get(name).and_then(|text| text.parse().ok());
    match by {
        By::Hand => true,
        By::Slurm => get("SLURM_STEP_NUM_NODES").as_deref() == Some("1"),
        By::Mpi => count_on_host("OMPI_COMM_WORLD_LOCAL_SIZE") == Some(count),
        By::Pmi => count_on_host("MPI_LOCALNRANKS") == Some(count),
        By::Torch => count_on_host("LOCAL_WORLD_SIZE") == Some(count),
    }
}

/// Variable with the name of the first rank's host, as seen by other hosts.
pub const HOST: &str = "INUNDATE_HOST";

/// Variable with the name of the file that the first rank writes.
const FILE: &str = "INUNDATE_ID_FILE";

/// Reads the place of this rank from the environment; `None` if there is only one process.
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
                Error::input(format!("{name}: '{text}' is not a rank number or count"))
                    .hint("give a whole number; ranks are numbered from 0")
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
            // Another launcher may have started several ranks through this one.
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
                return Err(Error::input(format!(
                    "no file is set through which the {count} ranks can find each other"
                ))
                .hint("set INUNDATE_ID_FILE to a new file in a folder that all ranks can access"));
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
        // A job's script, and tasks not started by srun, are single processes.
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
        // Slurm starts torchrun once on a node, which starts the ranks.
        let within = [
            &[("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "1"), ("SLURM_JOB_ID", "77")][..],
            &[("RANK", "3"), ("WORLD_SIZE", "4"), ("LOCAL_RANK", "3"), ("MASTER_PORT", "29500")],
        ];
        let place = of(&within.concat()).unwrap().unwrap();
        assert_eq!((place.rank, place.count, place.by), (3, 4, By::Torch));
        // One rank set by hand overrides other launchers.
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
            (&[("INUNDATE_RANK", "one"), ("INUNDATE_RANKS", "3")], "'one' is not a rank number"),
            (&[("INUNDATE_RANK", "1"), ("INUNDATE_RANKS", "3")], "no file is set"),
        ] {
            let error = of(bad).unwrap_err();
            assert!(error.what.contains(why), "{error}");
        }
    }
}
