//! Codes: what something means, for programs, with a sentence for people beside it.

/// Defines an enum of codes. Each has a name that stays what it is for good, as it is sent and kept, and an English sentence
/// that may be reworded at any time: nothing may depend on it.
macro_rules! codes {
    ($(#[$about:meta])* pub enum $codes:ident { $($code:ident $name:literal $english:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $codes {
            $(#[doc = $english] #[serde(rename = $name)] $code,)+
        }

        impl $codes {
            /// All of them.
            pub const ALL: &'static [$codes] = &[$($codes::$code,)+];

            /// The name by which it is sent and kept.
            pub fn name(self) -> &'static str {
                match self { $($codes::$code => $name,)+ }
            }

            /// The code of that name; none where it is one of another version.
            pub fn named(name: &str) -> Option<$codes> {
                $codes::ALL.iter().copied().find(|code| code.name() == name)
            }

            /// In English.
            pub(super) fn english(self) -> &'static str {
                match self { $($codes::$code => $english,)+ }
            }
        }
    };
}

pub(super) use codes;
