//! Where links and images of a page lead.

use url::Url;

/// The longest address that is shown.
const MAX_ADDRESS: usize = 2048;

/// Resolves the addresses of a page.
#[derive(Clone, Debug)]
pub(super) struct LinkBase {
    base: Url,
    is_set: bool,
}

impl LinkBase {
    pub(super) fn new(base: &Url) -> LinkBase {
        LinkBase { base: base.clone(), is_set: false }
    }

    /// The page's own `<base>`. Only the first counts.
    pub(super) fn set(&mut self, href: &str) {
        if self.is_set || href.len() > MAX_ADDRESS {
            return;
        }
        if let Ok(base) = self.base.join(href.trim())
            && matches!(base.scheme(), "http" | "https")
        {
            (self.base, self.is_set) = (base, true);
        }
    }

    /// A link to another page, as Markdown shows it. None for places in the same page, for schemes other than http, https,
    /// mailto, tel and ftp, and for addresses that are empty or too long.
    pub(super) fn link(&self, href: &str) -> Option<String> {
        let href = href.trim();
        if href.starts_with('#') {
            return None;
        }
        self.resolved(href, &["http", "https", "mailto", "tel", "ftp"])
    }

    /// The address of an image. None unless it is an http or https address of at most [`MAX_ADDRESS`] bytes.
    pub(super) fn image(&self, source: &str) -> Option<String> {
        self.resolved(source.trim(), &["http", "https"])
    }

    fn resolved(&self, address: &str, schemes: &[&str]) -> Option<String> {
        if address.is_empty() || address.len() > MAX_ADDRESS {
            return None;
        }
        let url = self.base.join(address).ok().filter(|url| schemes.contains(&url.scheme()))?;
        Some(
            String::from(url).replace('(', "%28").replace(')', "%29").replace('|', "%7C").replace('<', "%3C"),
        )
    }
}
