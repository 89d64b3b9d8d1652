//! Messages of one kind are told once, with a count: fifty hydrographs need no fifty notes.

/// So many of the others are named.
const NAMED: usize = 4;

/// Messages that differ in nothing but what they are about, joined: the first, with the number and the names of the
/// others.
pub fn fold(messages: Vec<String>) -> Vec<String> {
    let mut kinds: Vec<(String, String, Vec<String>)> = Vec::new();
    for message in messages {
        let (kind, name) = kind_of(&message);
        match kinds.iter_mut().find(|(known, ..)| *known == kind) {
            Some((_, first, _)) if *first == message => {}
            Some((_, _, others)) => others.push(name.unwrap_or_default()),
            None => kinds.push((kind, message, Vec::new())),
        }
    }
    let told = |(_, first, others): (String, String, Vec<String>)| {
        if others.is_empty() {
            return first;
        }
        let named: Vec<&str> = others.iter().map(String::as_str).take(NAMED).collect();
        let more = if others.len() > NAMED { ", …" } else { "" };
        format!("{first} (the same of {} more: {}{more})", others.len(), named.join(", "))
    };
    kinds.into_iter().map(told).collect()
}

/// A message without the names in it, and the first of these. A name stands between single quotes; an apostrophe within
/// a word is none.
fn kind_of(message: &str) -> (String, Option<String>) {
    let (mut kind, mut name) = (String::new(), None);
    let mut rest = message;
    while let Some(open) = opening(rest) {
        let Some(length) = closing(&rest[open + 1..]) else { break };
        kind.push_str(&rest[..=open]);
        let end = open + 1 + length;
        name = name.or_else(|| Some(rest[open..=end].to_string()));
        rest = &rest[end..];
        kind.push('\'');
        rest = &rest[1..];
    }
    kind.push_str(rest);
    // The place within a file is part of the name.
    for word in ["line ", "feature "] {
        if let Some(at) = kind.find(word).map(|at| at + word.len()) {
            let digits = kind[at..].chars().take_while(char::is_ascii_digit).count();
            kind.replace_range(at..at + digits, "");
        }
    }
    (kind, name)
}

/// Where a quote opens a name.
fn opening(text: &str) -> Option<usize> {
    text.match_indices('\'').map(|(at, _)| at).find(|&at| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|before| before.is_whitespace() || before == '(')
    })
}

/// Where a name ends.
fn closing(text: &str) -> Option<usize> {
    text.match_indices('\'')
        .map(|(at, _)| at)
        .find(|&at| !text[at + 1..].chars().next().is_some_and(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(messages: &[&str]) -> Vec<String> {
        fold(messages.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn one_kind_is_told_once_with_a_count() {
        let told = folded(&[
            "source: 'a.csv' ends with a flow above 0",
            "rain: up to 12 mm/h",
            "source: 'b.csv' ends with a flow above 0",
            "source: 'c.csv' ends with a flow above 0",
        ]);
        assert_eq!(
            told,
            [
                "source: 'a.csv' ends with a flow above 0 (the same of 2 more: 'b.csv', 'c.csv')",
                "rain: up to 12 mm/h"
            ]
        );
    }

    #[test]
    fn other_messages_stay_as_they_are() {
        let messages = [
            "source: 'a.csv' brings no water",
            "level: 'a.csv' brings no water",
            "dem: 3 cells of 'a.tif' hold 5",
            "dem: 4 cells of 'a.tif' hold 6",
            "the run's end isn't known",
            "an odd ' quote",
            "",
        ];
        assert_eq!(folded(&messages), messages);
        assert_eq!(folded(&["the DEM's 'a'", "the DEM's 'a'"]), ["the DEM's 'a'"]);
    }
}
