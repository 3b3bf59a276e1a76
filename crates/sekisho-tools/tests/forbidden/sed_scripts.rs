//! Forbidden commands that a script of `sed` runs, prints or writes.

use sekisho_tools::forbidden::ForbiddenCode::RecursiveDelete;
use sekisho_tools::forbidden::forbidden_command;

/// Every one of them ran `rm -rf d` in bash.
const REMOVALS: &[&str] = &[
    "echo x | sed 's/x/rm -rf d/e'",
    "echo | sed '1e rm -rf d'",
    "echo x | sed -n 's/.*/rm -rf d/ep'",
    "echo m | sed 's/^/r/;s/$/ -rf d/e'",
    "echo m | sed 's/m/r&/;s/$/ -rf d/;e'",
    "echo xm | sed 's/x/r/;s/$/ -rf d/e'",
    "echo 'd fr- mr' | rev | sed 's/^/:;/e'",
    "sed -f <(echo 's/x/rm -rf d/e') <<< x",
    "echo 's/x/rm -rf d/e' > s; echo x | sed -f s",
    "echo 's/x/rm -rf d/e' | sed -f - <(echo x)",
    "echo 's/x/rm -rf d/e' > s; echo x | sed -fs",
    "echo 's/x/rm -rf d/e' > s; echo x | sed --file=s",
    "echo 's/x/rm -rf d/e' > s; echo x | sed --file s",
    "echo x | sed --expression='s/x/rm -rf d/e'",
    "echo x | sed --expression 's/x/rm -rf d/e'",
    "echo x | sed -e 's/x/rm -rf d/' -e e",
    "echo x | sed -e 's/x/rm -rf d/' -e '1e'",
    "echo x | sed -e 's/x/rm -rf d/' -e '/rm/e'",
    "echo x | sed '/x/e rm -rf d'",
    "echo x | sed '$!N;e rm -rf d'",
    r"echo x | sed '{e rm -rf d
}'",
    r"echo mr | sed 's/\(.\)\(.\)/\2\1 -rf d/e'",
    r"echo mr | sed -E 's/(.)(.)/\2\1 -rf d/e'",
    r"echo RM | sed 's/.*/\L& -rf d/e'",
    "echo x | sed 's|x|rm -rf d|e'",
    "echo x | sed 's,x,rm -rf d,e'",
    "echo x | sed 'sqxqrm -rf dqe'",
    "echo x | sed 'y/x/y/;s/y/rm -rf d/e'",
    "echo x | sed 'h;s/x/rm -rf d/e'",
    "echo x | sed '2!s/x/rm -rf d/e'",
    "echo x | sed '1,3s/x/rm -rf d/e'",
    "echo x | sed '0~1s/x/rm -rf d/e'",
    "echo x > f; sed -i 's/x/rm -rf d/e' f",
    "echo 'rm -rf d' | sed e",
    "echo 'rm -rf d' | sed '$e'",
    "echo 'rm -rf d' | sed -s '1 e'",
    "echo 'x rm -rf d' | sed 's/x //e'",
    "echo '#rm -rf d' | sed 's/#//e'",
    "echo 'rm xrf d' | sed 's/x/-/e'",
    "echo x > f; sed 's/x/rm -rf d/e' f",
    "sed 's/x/rm -rf d/e' <(echo x)",
    r#"c='s/x/rm -rf d/e'; echo x | sed "$c""#,
    r"echo x | sed 's/x/r\m -rf d/e'",
    r"echo x | sed 's/x/\x72m -rf d/e'",
    r"echo x | sed 's/x/\o162m -rf d/e'",
    r"echo x | sed 's/x/\d114m -rf d/e'",
    r"echo x | sed -n '/x/{s//rm -rf d/;e
}'",
    "echo x | sed '1e r''m -rf d'",
    "echo x | sed '1e $(rev<<<mr) -rf d' ; echo x | sed '1e c=m; r$c -rf d'",
    "echo x | sed 's/x/c=m; r$c -rf d/e'",
    "echo x | sed 'c rm -rf d' | sh",
    "echo x | sed 'a rm -rf d' | tail -1 | sh",
    "echo x | sed 'i rm -rf d' | head -1 | sh",
    r"echo mr | sed 's/\(.\)\(.\)/\2\1 -rf d/w o' ; sh o",
    r"echo mr > f; sed -i 's/\(.\)\(.\)/\2\1 -rf d/' f; sh f",
    r"echo mr | sed -n 's/\(.\)\(.\)/\2\1 -rf d/;h;g;p' | sh",
    r"printf 'r\nm -rf d\n' | sed 'N;s/\n//' | sh",
    r"printf 'r\nm -rf d\n' | sed ':a;N;$!ba;s/\n//' | sh",
    r"printf 'd\n-rf\nrm\n' | sed -n '1!G;h;$p' | tr '\n' ' ' | sh",
];

#[test]
fn scripts_of_sed_are_followed() {
    let missed: Vec<_> =
        REMOVALS.iter().filter(|text| forbidden_command(text) != Some(RecursiveDelete)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}
