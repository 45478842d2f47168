//! Reads Prometheus' text format.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

#[derive(Debug, Default)]
pub(super) struct Scrape {
    pub(super) text: String,
    pub(super) families: BTreeMap<String, Family>,
}

#[derive(Debug, Default)]
pub(super) struct Family {
    pub(super) kind: String,
    pub(super) help: String,
    /// Without `le`, which every histogram has.
    pub(super) labels: BTreeSet<String>,
    /// By name and labels as they stand there.
    pub(super) samples: BTreeMap<String, f64>,
}

impl Scrape {
    pub(super) fn parse(text: &str) -> Self {
        let mut scrape = Self { text: text.to_owned(), ..Self::default() };
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, help) = rest.split_once(' ').unwrap();
                let known = scrape
                    .families
                    .insert(name.to_owned(), Family { help: help.to_owned(), ..<_>::default() });
                assert!(known.is_none(), "{name} is listed twice");
            } else if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap();
                kind.clone_into(&mut scrape.families.get_mut(name).unwrap().kind);
            } else {
                scrape.sample(line);
            }
        }
        scrape
    }

    fn sample(&mut self, line: &str) {
        let (series, value) = line.rsplit_once(' ').unwrap();
        let name = series.split('{').next().unwrap();
        let family = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        let histogram =
            family.filter(|family| self.families.get(*family).is_some_and(|f| f.kind == "histogram"));
        let family = self.families.get_mut(histogram.unwrap_or(name)).unwrap_or_else(|| panic!("{line}"));
        if let Some((_, labels)) = series.split_once('{') {
            let names = labels.trim_end_matches('}').split("\",").map(|pair| pair.split('=').next().unwrap());
            family.labels.extend(names.filter(|name| *name != "le").map(str::to_owned));
        }
        family.samples.insert(series.to_owned(), value.parse().unwrap());
    }

    /// The value of a series, written as in the text; 0 if it is not there.
    pub(super) fn value(&self, series: &str) -> i64 {
        let found = self.families.values().find_map(|family| family.samples.get(series));
        #[expect(clippy::cast_possible_truncation, reason = "those that tests ask for are small and whole")]
        found.map_or(0, |value| *value as i64)
    }

    /// A table of every family, as it stands on the page.
    pub(super) fn table(&self) -> String {
        let mut table = "| metric | type | labels | meaning |\n|---|---|---|---|\n".to_owned();
        for (name, Family { kind, help, labels, .. }) in &self.families {
            let labels: Vec<String> = labels.iter().map(|label| format!("`{label}`")).collect();
            writeln!(table, "| `{name}` | {kind} | {} | {help} |", labels.join(", ")).unwrap();
        }
        table
    }
}
