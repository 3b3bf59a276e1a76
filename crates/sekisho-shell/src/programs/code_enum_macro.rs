//! A macro for enums of stable codes, each with a sentence for people.

/// Defines an enum of codes. Each code has a stable name, which is sent and stored, and an English sentence,
/// which may change at any time. Nothing may depend on the sentence.
macro_rules! codes {
    ($(#[$about:meta])* pub enum $codes:ident { $($code:ident $name:literal $english:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $codes {
            $(#[doc = $english] #[serde(rename = $name)] $code,)+
        }

        impl $codes {
            /// All codes.
            pub const ALL: &'static [$codes] = &[$($codes::$code,)+];

            /// The stable name, as sent and stored.
            pub fn name(self) -> &'static str {
                match self { $($codes::$code => $name,)+ }
            }

            /// The code of that name. `None` if it is from another version.
            pub fn named(name: &str) -> Option<$codes> {
                $codes::ALL.iter().copied().find(|code| code.name() == name)
            }

            /// The English sentence.
            pub(super) fn english(self) -> &'static str {
                match self { $($codes::$code => $english,)+ }
            }
        }
    };
}

pub(super) use codes;
