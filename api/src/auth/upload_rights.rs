//! What an uploader may ask for with its files.

use super::Scope;
use super::scope::Right;
use crate::error::{ApiError, Result};
use crate::lifecycle::upload::UploadRequest;

#[derive(Clone, Debug)]
pub struct UploadRights {
    /// Where its uploads go, whatever they ask for.
    collection: Option<String>,
    /// May start or cancel work on existing videos.
    may_repeat: bool,
}

impl UploadRights {
    pub(super) fn new(scope: Scope, collection: Option<String>) -> Self {
        Self { collection, may_repeat: scope.has(Right::Read) }
    }

    pub fn apply(&self, request: &mut UploadRequest) -> Result<()> {
        if !self.may_repeat && (request.force || request.cancel_running) {
            let detail = "This token can only add videos; `force` and `cancel_running` affect existing ones.";
            return Err(ApiError::forbidden("scope", detail));
        }
        let Some(own) = &self.collection else { return Ok(()) };
        match request.collection.as_deref().map(str::trim) {
            Some(named) if named != own => {
                let detail = format!("This token can only upload to the collection `{own}`.");
                Err(ApiError::forbidden("other_collection", detail))
            }
            _ => {
                request.collection = Some(own.clone());
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(collection: Option<&str>) -> UploadRequest {
        UploadRequest { collection: collection.map(str::to_owned), ..UploadRequest::default() }
    }

    #[test]
    fn a_bound_token_uploads_to_its_collection_alone() {
        let rights = UploadRights::new(Scope::UploadOnly, Some("news".to_owned()));
        for named in [None, Some("news"), Some(" news ")] {
            let mut request = asked(named);
            rights.apply(&mut request).unwrap();
            assert_eq!(request.collection.as_deref(), Some("news"));
        }
        assert_eq!(rights.apply(&mut asked(Some("other"))).unwrap_err().code, "other_collection");
    }

    #[test]
    fn who_only_uploads_does_not_touch_what_is_there() {
        for (scope, allowed) in [(Scope::UploadOnly, false), (Scope::Upload, true), (Scope::Admin, true)] {
            let rights = UploadRights::new(scope, None);
            for (force, cancel_running) in [(true, false), (true, true)] {
                let mut request = UploadRequest { force, cancel_running, ..asked(None) };
                assert_eq!(rights.apply(&mut request).is_ok(), allowed, "{scope}");
            }
            rights.apply(&mut asked(Some("any"))).unwrap();
        }
    }
}
