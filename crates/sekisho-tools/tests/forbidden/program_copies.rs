//! Copies of forbidden programs, whatever made them.

use sekisho_tools::forbidden::ForbiddenCode::RecursiveDelete;
use sekisho_tools::forbidden::forbidden_command;

/// Every one of them ran `rm -rf d` in bash.
const REMOVALS: &[&str] = &[
    "strip -o z /bin/rm; ./z -rf d",
    "objcopy /bin/rm z; ./z -rf d",
    "split -b 10M /bin/rm z; chmod +x zaa; ./zaa -rf d",
    "split -n 1 /bin/rm z; chmod +x zaa; ./zaa -rf d",
    "split -b 9000 /bin/rm z; cat z?? > y; chmod +x y; ./y -rf d",
    "tar -cf - --transform 's/.*/z/' /bin/rm 2>/dev/null | tar xf -; ./z -rf d",
    "tar -cPf - --transform='s,.*,z,' /bin/rm | tar xf -; ./z -rf d",
    "tar cf - --xform 's/.*rm/z/' /bin/rm 2>/dev/null| tar xf - ; ./z -rf d",
    "cat </bin/rm >y; chmod +x y; ./y -rf d",
    "cat < /bin/rm > y; chmod +x y; $PWD/y -rf d",
    "dd </bin/rm >y 2>/dev/null; chmod +x y; ./y -rf d",
    "dd if=/bin/rm of=y bs=1M status=none; chmod +x y; ./y -rf d",
    "cp /dev/stdin y </bin/rm; chmod +x y; ./y -rf d",
    "install -m755 /dev/stdin y </bin/rm; ./y -rf d",
    "tee y </bin/rm >/dev/null; chmod +x y; ./y -rf d",
    "head -c 9999999 /bin/rm > y; chmod +x y; ./y -rf d",
    "tail -c +1 /bin/rm > y; chmod +x y; ./y -rf d",
    "base64 /bin/rm | base64 -d > y; chmod +x y; ./y -rf d",
    "gzip -c /bin/rm | gzip -d > y; chmod +x y; ./y -rf d",
    "gzip < /bin/rm > y.gz; gunzip y.gz; chmod +x y; ./y -rf d",
    "xxd /bin/rm | xxd -r > y; chmod +x y; ./y -rf d",
    "exec 3</bin/rm; cat <&3 >y; chmod +x y; ./y -rf d",
    "cat /bin/rm | cat > y; chmod +x y; ./y -rf d",
    "cat $(which -a rm | tail -1) | tee y >/dev/null; chmod +x y; ./y -rf d",
    r#"python3 -c 'import shutil; shutil.copy("/bin/rm","y")'; ./y -rf d"#,
    "cp /bin/rm y && mv y z && ./z -rf d",
    "cp -t . /bin/rm; mv rm z; ./z -rf d",
    "ln -s /bin/rm y; ln -s y z; ./z -rf d",
    "x=/bin/rm; cp $x y; ./y -rf d",
    "cd /bin; cp rm $OLDPWD/y; cd - >/dev/null; ./y -rf d",
    "cp /bin/r? y; ./y -rf d",
    "for f in /bin/rm; do cp $f y; done; ./y -rf d",
    "f() { ./y -rf d; }; cp /bin/rm y; f",
    "sed '' /bin/rm > y; chmod +x y; ./y -rf d",
    "dd if=/bin/rm 2>/dev/null | dd of=y 2>/dev/null; chmod +x y; ./y -rf d",
    r#"awk 'BEGIN{system("cat /bin/rm > y")}'; chmod +x y; ./y -rf d"#,
    "cp /bin/rm y; PATH=.:$PATH; y -rf d",
    "cp /bin/rm y; PATH=$PWD; y -rf d",
    "cat /bin/rm >| y; chmod +x y; ./y -rf d",
    "cat /bin/rm >> y; chmod +x y; ./y -rf d",
    "</bin/rm cat >y; chmod 755 y; ./y -rf d",
    "ln /bin/rm y 2>/dev/null || cp /bin/rm y; ./y -rf d",
    "/lib64/ld-linux-x86-64.so.2 /bin/rm -rf d",
];

#[test]
fn copies_are_known_by_what_they_contain() {
    let missed: Vec<_> =
        REMOVALS.iter().filter(|text| forbidden_command(text) != Some(RecursiveDelete)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}
