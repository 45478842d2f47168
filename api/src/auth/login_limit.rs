//! How often passwords may be tried: by one address, and by all together.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::NonZeroU32;
use std::time::Duration;

use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::error::{ApiError, Result};

/// Ten tries at once, then one each six seconds.
const BY_ADDRESS: Quota = per_minute(10);
/// Against many addresses that guess together.
const BY_ALL: Quota = per_minute(60);
/// Addresses that are remembered before the quiet ones are dropped.
const MOST_ADDRESSES: usize = 10_000;

const fn per_minute(count: u32) -> Quota {
    match NonZeroU32::new(count) {
        Some(count) => Quota::per_minute(count),
        None => Quota::per_minute(NonZeroU32::MIN),
    }
}

pub(super) struct LoginLimit {
    by_address: DefaultKeyedRateLimiter<IpAddr>,
    by_all: DefaultDirectRateLimiter,
}

impl LoginLimit {
    pub(super) fn new() -> Self {
        Self { by_address: RateLimiter::keyed(BY_ADDRESS), by_all: RateLimiter::direct(BY_ALL) }
    }

    /// Counts one try.
    pub(super) fn check(&self, address: IpAddr) -> Result<()> {
        if self.by_address.len() > MOST_ADDRESSES {
            self.by_address.retain_recent();
        }
        let now = DefaultClock::default().now();
        self.by_address.check_key(&network(address)).map_err(|no| too_many(no.wait_time_from(now)))?;
        self.by_all.check().map_err(|no| too_many(no.wait_time_from(now)))
    }
}

/// One household has 2^64 IPv6 addresses; they count as one.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => IpAddr::V4(v4),
            None => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
        },
    }
}

fn too_many(wait: Duration) -> ApiError {
    let seconds = wait.as_secs() + 1;
    let detail = format!("Too many tries to log in; try again in {seconds} s.");
    ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too_many_logins", detail)
        .header(RETRY_AFTER, HeaderValue::from(seconds))
}

/// Where no connection is known (tests call the router directly), all callers share one budget.
pub(super) const UNKNOWN: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eleventh_try_of_an_address_waits_and_others_do_not() {
        let limit = LoginLimit::new();
        let guesser = IpAddr::V6(Ipv6Addr::new(1, 2, 3, 4, 5, 6, 7, 8));
        let same_house = IpAddr::V6(Ipv6Addr::new(1, 2, 3, 4, 9, 9, 9, 9));
        for _ in 0..10 {
            assert!(limit.check(guesser).is_ok());
        }
        assert_eq!(limit.check(same_house).unwrap_err().status, StatusCode::TOO_MANY_REQUESTS);
        assert!(limit.check(IpAddr::V4(Ipv4Addr::LOCALHOST)).is_ok());
    }

    #[test]
    fn many_addresses_together_are_limited_too() {
        let limit = LoginLimit::new();
        let refused =
            (0..200u8).filter(|n| limit.check(IpAddr::V4(Ipv4Addr::new(10, 0, 0, *n))).is_err()).count();
        assert!(refused >= 139, "{refused} refused");
    }
}
