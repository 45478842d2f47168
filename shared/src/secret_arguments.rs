//! Secrets on a command line: every user of a machine can read it as long as the process runs. The environment only its
//! own user can.

use std::ffi::OsString;

/// A flag whose value is a secret, and the variable that means the same.
pub type SecretFlag = (&'static str, &'static str);

/// A command line without its secrets, and these as variables.
#[derive(Debug, PartialEq, Eq)]
pub struct Hidden {
    pub arguments: Vec<OsString>,
    pub variables: Vec<(&'static str, OsString)>,
}

/// `None` if there is nothing to hide.
pub fn hide(arguments: &[OsString], secrets: &[SecretFlag]) -> Option<Hidden> {
    let mut hidden = Hidden { arguments: Vec::new(), variables: Vec::new() };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_str().unwrap_or_default();
        if text == "--" {
            hidden.arguments.push(argument.clone());
            hidden.arguments.extend(rest.by_ref().cloned());
            break;
        }
        let (flag, value) = text.split_once('=').map_or((text, None), |(flag, value)| (flag, Some(value)));
        let variable = secrets.iter().find(|(secret, _)| *secret == flag).map(|(_, variable)| *variable);
        let value = variable.and_then(|_| value.map(OsString::from).or_else(|| rest.next().cloned()));
        match (variable, value) {
            (Some(variable), Some(value)) => hidden.variables.push((variable, value)),
            _ => hidden.arguments.push(argument.clone()),
        }
    }
    (!hidden.variables.is_empty()).then_some(hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRETS: [SecretFlag; 2] = [("--join", "JOIN"), ("--key", "KEY")];

    fn hidden(line: &str) -> Option<(String, String)> {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let hidden = hide(&arguments, &SECRETS)?;
        let arguments = hidden.arguments.join(OsString::from(" ").as_os_str()).into_string().unwrap();
        let variables = hidden.variables.iter().map(|(name, value)| format!("{name}={}", value.display()));
        Some((arguments, variables.collect::<Vec<_>>().join(" ")))
    }

    #[test]
    fn a_secret_becomes_a_variable_however_it_is_written() {
        let expected = Some(("worker run --slots 2".to_owned(), "JOIN=ffj_a".to_owned()));
        assert_eq!(hidden("worker run --join ffj_a --slots 2"), expected);
        assert_eq!(hidden("worker run --join=ffj_a --slots 2"), expected);
    }

    #[test]
    fn what_is_no_secret_stays() {
        for line in ["worker run --join-file x", "worker run", "worker run -- --key k", "worker run --key"] {
            assert_eq!(hidden(line), None, "{line}");
        }
    }
}
