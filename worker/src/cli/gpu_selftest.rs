//! `framefarm-worker gpu-selftest`, and the child that makes its clip.

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use anyhow::Context as _;
use clap::Args;

use super::card_choice::CardChoice;
use crate::encoder::clip;
use crate::selftest::{Selftest, Tested, find};
use crate::walls::{Limits, Rules, enter};

/// There is nothing to test.
const NO_CARD: u8 = 3;

/// Test every path to every encoder of this machine's graphics cards, and print a report to paste into an issue.
///
/// Each encoder makes a small clip in every way that real work goes. It takes some minutes, and the cards should have
/// nothing else to do.
///
/// Exit codes: 0 all that should pass passed, 1 something failed, 3 there is no card.
#[derive(Debug, Args)]
pub(super) struct GpuSelftest {
    /// Only this card, as `nvenc=GPU-5c2f…`, `qsv=/dev/dri/renderD128` or `vaapi=/dev/dri/renderD128`; may be given
    /// several times.
    #[arg(long = "card", value_name = "KIND=ID")]
    cards: Vec<Tested>,

    #[command(flatten)]
    choice: CardChoice,

    /// Where the clips are kept meanwhile.
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
}

impl FromStr for Tested {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, id) = text.split_once('=').ok_or("write it like nvenc=GPU-5c2f…")?;
        Ok(Self { kind: kind.parse()?, id: id.to_owned(), name: "a card".to_owned() })
    }
}

impl GpuSelftest {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let (found, missing) = find(self.choice.into_options()).await;
        let (cards, missing) =
            if self.cards.is_empty() { (found, missing) } else { (self.cards, Vec::new()) };
        let name = format!("framefarm-selftest-{}", std::process::id());
        let scratch = self.scratch.unwrap_or_else(env::temp_dir).join(name);
        let selftest = Selftest { program: env::current_exe()?, scratch, cards, missing };
        let report = selftest.run().await;
        if selftest.scratch.exists() {
            std::fs::remove_dir_all(&selftest.scratch)
                .with_context(|| selftest.scratch.display().to_string())?;
        }
        print!("{report}");
        Ok(match (selftest.cards.is_empty(), report.passed()) {
            (true, _) => ExitCode::from(NO_CARD),
            (false, passed) => ExitCode::from(u8::from(!passed)),
        })
    }
}

/// Write the clip that the self-test encodes (started by `gpu-selftest`)
#[derive(Debug, Args)]
pub(super) struct MakeClip {
    path: PathBuf,
}

impl MakeClip {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let directory = self.path.parent().context("a clip needs a directory")?;
        enter(&Rules::new(directory, Some(directory), Limits::default()))?;
        clip::write(&self.path).map_err(anyhow::Error::msg)
    }
}
