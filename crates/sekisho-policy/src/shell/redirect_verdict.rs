//! The decision about a redirect, and its danger.

use sekisho_shell::script::Redirect;

use super::redirect_safety::{RedirectSafety, redirect_safety};
use super::touched_paths::{TouchedPath, touched_from, touched_in};
use super::{PartDecision, PlanJudge, caution};
use crate::danger::protected_path_danger;
use crate::reason::Reason;
use crate::verdict::{Danger, DangerCode, DangerLevel, Decision};

/// The cost of comparing the file of a redirect in one directory.
const COMPARED_REDIRECT: usize = 512;

impl PlanJudge<'_> {
    /// The decision on a redirect; `None` for one without effect.
    pub(super) fn rule_on_redirect(
        &self,
        text: usize,
        redirect: &Redirect,
        written: &str,
    ) -> Option<PartDecision> {
        let standing = redirect_safety(redirect, &self.plan.variables);
        if let Some(cover) = self.cover.filter(|_| text == 0) {
            if let Some(reason) = self.reason_against_covered(text, redirect, standing, written) {
                return Some(self.asks(reason));
            }
            let reason = Reason::Rule { rule: 0 };
            return Some(PartDecision { decision: Decision::Allow, reason, rule: self.cite(cover) });
        }
        let reason = Reason::Redirect { text: written.into() };
        match standing {
            RedirectSafety::Opens => Some(self.asks(reason)),
            _ if self.policy.strict_redirects => Some(self.asks(reason)),
            RedirectSafety::Inert => {
                let unset = self.limits.unset_in(text, &redirect.target)?;
                Some(self.asks(Reason::Expansion { text: unset }))
            }
            RedirectSafety::Reads => {
                let touched = touched_in(self.plan, text, &redirect.target);
                if !self.plan.budget.spend(COMPARED_REDIRECT * touched.len()) {
                    return Some(self.asks(Reason::PathUnknown));
                }
                let path_reason = |path: &TouchedPath| {
                    self.limits.path_reason(path, true).or_else(|| self.limits.outside_reason(path))
                };
                let reason = touched.iter().find_map(path_reason)?;
                Some(self.asks(reason))
            }
        }
    }

    /// Why a redirect needs confirmation although a rule covers the whole text: its file is protected, or it is
    /// a connection.
    fn reason_against_covered(
        &self,
        text: usize,
        redirect: &Redirect,
        standing: RedirectSafety,
        written: &str,
    ) -> Option<Reason> {
        if standing == RedirectSafety::Inert {
            return None;
        }
        if is_connection(redirect) {
            return Some(Reason::Redirect { text: written.into() });
        }
        let touched = touched_in(self.plan, text, &redirect.target);
        if !self.plan.budget.spend(COMPARED_REDIRECT * touched.len()) {
            return Some(Reason::PathUnknown);
        }
        touched.iter().find_map(|path| self.limits.path_reason(path, standing == RedirectSafety::Reads))
    }

    /// The danger of a redirect, whatever rules match.
    pub(super) fn danger_of_redirect(&self, text: usize, redirect: &Redirect) -> Option<Danger> {
        let standing = redirect_safety(redirect, &self.plan.variables);
        if is_connection(redirect) {
            return Some(Danger::new(DangerLevel::Danger, DangerCode::OpensRawConnection));
        }
        let touched = || match self.plan.texts.get(text).filter(|text| text.directory_samples.is_empty()) {
            // A redirect without a command, in a text that has none.
            Some(text) => touched_from(&text.start, &redirect.target),
            None => touched_in(self.plan, text, &redirect.target),
        };
        if standing != RedirectSafety::Inert && touched().iter().any(|path| self.limits.is_protected(path)) {
            return Some(protected_path_danger());
        }
        (standing == RedirectSafety::Opens).then(|| caution(DangerCode::OpensFileByRedirect))
    }
}

/// Whether bash itself opens a connection for a redirect.
fn is_connection(redirect: &Redirect) -> bool {
    ["/dev/tcp/", "/dev/udp/"].iter().any(|name| redirect.target.prefix().starts_with(name))
}
