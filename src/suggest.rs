//! Suggestions for an unknown name: the names of the same meaning, or else of similar spelling.

/// Returns the names that an unknown word may mean, each known with its synonyms, which are
/// separated by spaces: those that have the word as a synonym; else the one that is spelled most
/// similarly, if a third of the letters at most differ; else those that a part of the word names
/// (`rain_file`).
pub fn meant<'a>(word: &str, known: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<&'a str> {
    let known: Vec<(&str, Vec<&str>)> = known
        .into_iter()
        .map(|(name, synonyms)| {
            (name, [name].into_iter().chain(synonyms.split_whitespace()).collect())
        })
        .collect();
    let word = plain(word);
    let named = |word: &str| -> Vec<&'a str> {
        let of = known.iter().filter(|(_, words)| words.iter().any(|one| plain(one) == word));
        // A name itself means nothing else.
        match of.clone().find(|(name, _)| plain(name) == word) {
            Some((name, _)) => vec![*name],
            None => of.map(|(name, _)| *name).collect(),
        }
    };
    let similar = || {
        let each =
            known.iter().flat_map(|(name, words)| words.iter().map(move |one| (*name, *one)));
        similar(&word, each).map(|name| vec![name])
    };
    let in_part = || word.split('_').map(named).find(|names| !names.is_empty());
    match named(&word) {
        none if none.is_empty() => similar().or_else(in_part).unwrap_or_default(),
        names => names,
    }
}

/// Returns the name whose word is spelled most similarly, if a third of the letters at most differ.
pub fn similar<'a>(
    word: &str,
    known: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Option<&'a str> {
    let word = plain(word);
    let distances = known.into_iter().filter_map(|(name, one)| {
        let most = one.chars().count().min(word.chars().count()) / 3;
        let distance = strsim::osa_distance(&plain(one), &word);
        (distance <= most).then_some((distance, name))
    });
    distances.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// Returns the hint that suggests names, followed by where all of them are listed.
pub fn hint<T: std::fmt::Display>(names: &[T], list: &str) -> String {
    match names {
        [] => list.into(),
        names => {
            let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            format!("did you mean {}? {list}", names.join(" or "))
        }
    }
}

/// Returns a word in lower case, with underscores for dashes.
fn plain(word: &str) -> String {
    word.trim_matches('-').replace('-', "_").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [(&str, &str); 5] = [
        ("rain", "precipitation storm"),
        ("output_every", "interval"),
        ("structures", "weir culvert"),
        ("links", "pump culvert"),
        ("step", "dt"),
    ];

    #[test]
    fn a_synonym_a_slip_or_a_part_of_a_word_suggests_a_name() {
        for (word, names) in [
            ("Rain", &["rain"][..]),
            ("--output-every", &["output_every"]),
            ("Precipitation", &["rain"]),
            ("culvert", &["structures", "links"]),
            ("dt", &["step"]),
            ("rian", &["rain"]),
            ("precipitaton", &["rain"]),
            ("rain_file", &["rain"]),
            ("da", &[]),
            ("wind", &[]),
            ("xyzzy", &[]),
            ("", &[]),
        ] {
            assert_eq!(meant(word, KNOWN), names, "{word}");
        }
        assert_eq!(hint(&meant("culvert", KNOWN), "…"), "did you mean 'structures' or 'links'? …");
        assert_eq!(hint(&meant("xyzzy", KNOWN), "…"), "…");
    }
}
