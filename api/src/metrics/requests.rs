//! Requests: how many, how they end, how long they take.

use std::time::Instant;

use axum::http::{Method, StatusCode};
use prometheus::{HistogramVec, IntCounterVec, IntGauge, Result};

use super::make::Maker;

/// Claims wait up to thirty seconds on purpose.
const DURATION: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

#[derive(Debug)]
pub struct Requests {
    answered: IntCounterVec,
    duration: HistogramVec,
    in_flight: IntGauge,
}

impl Requests {
    pub(super) fn new(make: &Maker) -> Result<Self> {
        Ok(Self {
            answered: make.counters(
                "framefarm_http_requests_total",
                "Total number of HTTP requests by route, method and status class.",
                &["route", "method", "status"],
            )?,
            duration: make.histograms(
                "framefarm_http_request_duration_seconds",
                "Time until the response started; streaming the body is not included.",
                &DURATION,
                &["route", "method"],
            )?,
            in_flight: make.gauge(
                "framefarm_http_requests_in_flight",
                "Number of requests whose response has not started, including waiting claims.",
            )?,
        })
    }

    /// `route` is the template that matched, if one did.
    pub fn begin(&self, route: Option<&str>, method: &Method) -> Request<'_> {
        self.in_flight.inc();
        let (route, method) = (route_label(route), method_label(method));
        Request { of: self, route, method, began: Instant::now() }
    }
}

/// One request that is being answered. Whoever hangs up before that is not counted.
pub struct Request<'a> {
    of: &'a Requests,
    route: String,
    method: &'static str,
    began: Instant,
}

impl Request<'_> {
    pub fn answered(self, status: StatusCode) {
        let (route, took) = (self.route.as_str(), self.began.elapsed().as_secs_f64());
        self.of.answered.with_label_values(&[route, self.method, status_class(status)]).inc();
        self.of.duration.with_label_values(&[route, self.method]).observe(took);
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        self.of.in_flight.dec();
    }
}

/// The files and screens of the page are one route: their names change with every build.
fn route_label(route: Option<&str>) -> String {
    const OURS: [&str; 6] = ["/api/", "/videos/", "/health", "/readyz", "/version", "/metrics"];
    match route {
        None => "unmatched".to_owned(),
        Some(route) if OURS.iter().any(|ours| route.starts_with(ours)) => route.to_owned(),
        Some(_) => "page".to_owned(),
    }
}

/// A method is any word that a client thinks of.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

fn status_class(status: StatusCode) -> &'static str {
    match status.as_u16() / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_templates_and_never_what_a_client_wrote() {
        assert_eq!(route_label(Some("/api/videos/{id}")), "/api/videos/{id}");
        assert_eq!(route_label(Some("/healthz")), "/healthz");
        for page in ["/", "/library/{id}", "/assets/index-3f9.js"] {
            assert_eq!(route_label(Some(page)), "page");
        }
        assert_eq!(route_label(None), "unmatched");
        assert_eq!(method_label(&Method::from_bytes(b"BREW").unwrap()), "other");
    }
}
