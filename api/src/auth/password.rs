//! The admin's password: argon2id, kept as a fact.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};

use crate::app::App;
use crate::db::{credentials, key_value};
use crate::error::{ApiError, Result};

/// Makes sure that there is a password. Returns a new one if it had to be made: the only time it can be shown.
pub async fn prepare(app: &App) -> Result<Option<String>> {
    let stored = key_value::get(&app.db, key_value::ADMIN_PASSWORD).await?;
    let configured = app.settings.admin_password.clone();
    if configured.is_empty() {
        if stored.is_some() {
            return Ok(None);
        }
        let made = readable();
        let hash = hash(app, made.clone()).await?;
        let mut tx = app.db.begin().await?;
        // Of several instances that start at once, one makes the password.
        let mine = key_value::set_if_unknown(&mut tx, key_value::ADMIN_PASSWORD, &hash).await?;
        tx.commit().await?;
        return Ok(mine.then_some(made));
    }
    if stored.is_none() || !verify(app, configured.clone(), stored).await? {
        let hash = hash(app, configured).await?;
        let mut tx = app.db.begin().await?;
        key_value::set(&mut tx, key_value::ADMIN_PASSWORD, &hash).await?;
        credentials::delete_all_sessions(&mut tx).await?;
        tx.commit().await?;
        tracing::info!("admin password set from the configuration; existing sessions ended");
    }
    Ok(None)
}

/// Whether this is the admin's password. Takes the same time whatever is wrong.
pub(super) async fn is_right(app: &App, password: String) -> Result<bool> {
    let stored = key_value::get(&app.db, key_value::ADMIN_PASSWORD).await?;
    verify(app, password, stored).await
}

async fn hash(app: &App, password: String) -> Result<String> {
    let _turn = app.auth.hashing.acquire().await.map_err(|_| shutting_down())?;
    let hashed = tokio::task::spawn_blocking(move || {
        Argon2::default().hash_password(password.as_bytes()).map(|hash| hash.to_string())
    });
    hashed.await?.map_err(|error| ApiError::internal(&error))
}

async fn verify(app: &App, password: String, stored: Option<String>) -> Result<bool> {
    /// Of nobody's password, to do the same work where none is stored.
    const NOBODYS: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$\
                           q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s";
    let _turn = app.auth.hashing.acquire().await.map_err(|_| shutting_down())?;
    let verified = tokio::task::spawn_blocking(move || {
        let text = stored.as_deref().unwrap_or(NOBODYS);
        let hash = PasswordHash::new(text)?;
        Ok(Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
    });
    let verified: std::result::Result<bool, argon2::password_hash::phc::Error> = verified.await?;
    verified.map_err(|error| ApiError::internal(&error))
}

fn shutting_down() -> ApiError {
    ApiError::unavailable("draining", "The server is shutting down; retry shortly.")
}

/// A hundred random bits without letters that look alike.
fn readable() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let random: [u8; 20] = rand::random();
    let mut text = String::new();
    for (index, byte) in random.iter().enumerate() {
        if index > 0 && index % 5 == 0 {
            text.push('-');
        }
        text.push(char::from(LETTERS[usize::from(byte % 32)]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_passwords_are_long_and_never_twice_the_same() {
        let one = readable();
        assert_eq!((one.len(), one.matches('-').count()), (23, 3));
        assert_ne!(one, readable());
    }
}
