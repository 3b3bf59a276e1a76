//! The default list of protected paths, with reasons. Managed or global config can remove patterns.

/// Patterns that are protected for the same reason.
#[derive(Debug)]
pub(crate) struct ProtectedGroup {
    /// Completes "`x` is protected: …".
    pub(crate) why: &'static str,
    pub(crate) class: ProtectionClass,
    pub(crate) contents: ContentCheck,
    /// Globs over the last name of a path: matches are not protected by this group.
    except: &'static str,
    patterns: &'static str,
    /// Common names that the patterns match: what a glob such as `*.local` is likely meant for.
    usual: &'static str,
}

impl ProtectedGroup {
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &'static str> {
        list(self.patterns)
    }

    pub(crate) fn except(&self) -> impl Iterator<Item = &'static str> {
        list(self.except)
    }

    pub(crate) fn usual(&self) -> impl Iterator<Item = &'static str> {
        list(self.usual)
    }
}

/// The items of a comma-separated list.
fn list(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split(", ").filter(|item| !item.is_empty())
}

/// What makes a file worth protecting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProtectionClass {
    /// Reading it reveals something, or never ends.
    Secret,
    /// Writing it changes what runs. Most repositories contain such files, so a search that finds one needs
    /// no confirmation.
    ControlsExecution,
}

/// Whether the contents of a file determine if it is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentCheck {
    /// No: it is always protected.
    NotNeeded,
    /// A certificate or public key is not protected.
    Key,
    /// Only a text that names a private key is protected. The name alone says little: directories and programs have
    /// such names, too.
    PrivateKey,
    /// Settings without a password or token are not protected.
    Credentials,
    /// Settings of git without a password or token are not protected. Some words that usually precede a password
    /// are common in them, such as `credential.helper`.
    GitCredentials,
    /// Like `Credentials`, but only if a search finds the file. If it is named explicitly, it is always
    /// protected.
    CredentialsInSearch,
}

use ContentCheck::{Credentials, CredentialsInSearch, GitCredentials, Key, NotNeeded, PrivateKey};
use ProtectionClass::{ControlsExecution, Secret};

/// The list. Patterns are gitignore-style globs that do not depend on home or workspace.
pub(crate) const GROUPS: &[ProtectedGroup] = &[
    ProtectedGroup {
        why: "sekisho's own rules",
        class: ControlsExecution,
        contents: NotNeeded,
        except: "",
        patterns: ".sekisho",
        usual: "",
    },
    ProtectedGroup {
        why: "sekisho's own config, state and keys",
        class: Secret,
        contents: NotNeeded,
        except: "",
        patterns: "**/.config/sekisho, **/.local/state/sekisho, **/.local/share/sekisho, /etc/sekisho",
        usual: "",
    },
    ProtectedGroup {
        why: "it names programs that git runs, and can contain passwords in URLs",
        class: ControlsExecution,
        contents: CredentialsInSearch,
        except: "",
        patterns: "**/.git/config, **/.git/config.worktree",
        usual: "",
    },
    ProtectedGroup {
        why: "settings of git, which can contain a token in a URL or in a header",
        class: Secret,
        contents: GitCredentials,
        except: "",
        patterns: ".gitconfig*, **/.config/git/config, /etc/gitconfig",
        usual: ".gitconfig",
    },
    ProtectedGroup {
        why: "hooks and settings of git",
        class: ControlsExecution,
        contents: NotNeeded,
        except: "",
        patterns: "**/.git/hooks, **/.git/info/attributes, **/.git/commondir, **/.git/modules, \
            **/.git/worktrees",
        usual: "",
    },
    ProtectedGroup {
        why: "a start-up file: it runs with the next shell or login",
        class: ControlsExecution,
        contents: NotNeeded,
        except: "",
        patterns: ".bashrc, .bash_profile, .bash_login, .bash_logout, .bash_aliases, .profile, .zshrc, \
            .zshenv, .zprofile, .zlogin, .zlogout, .xprofile, .xsessionrc, .pam_environment, \
            **/.config/fish, **/.config/autostart, **/.config/systemd/user, /etc/profile, \
            /etc/profile.d, /etc/bash.bashrc, /etc/environment, /etc/ld.so.preload, /var/spool/cron, \
            .cshrc, .tcshrc, .kshrc, .mkshrc, .login, .logout, .inputrc, .xinitrc, .xsession",
        usual: "",
    },
    ProtectedGroup {
        why: "settings of an agent or editor",
        class: ControlsExecution,
        contents: NotNeeded,
        except: "",
        patterns: ".claude, .codex, .gemini, .opencode, opencode.json, opencode.jsonc, \
            **/.config/opencode, .mcp.json, .cursor, .vscode, .continue, .windsurf, .roo, .kiro, \
            .amazonq, **/.config/goose, .aider.conf.yml",
        usual: "",
    },
    ProtectedGroup {
        why: "tokens of agents and AI services",
        class: Secret,
        contents: NotNeeded,
        except: "",
        patterns: ".claude.json, **/.claude/.credentials.json, **/.codex/auth.json, \
            **/.gemini/oauth_creds.json, **/.local/share/opencode, **/.config/github-copilot, \
            **/.config/goose/secrets.yaml, **/.config/anthropic, **/.config/openai, .anthropic, \
            .openai, **/.cache/huggingface/token, **/.huggingface/token, **/.qwen/oauth_creds.json, \
            **/.config/io.datasette.llm/keys.json, .modal.toml, **/.ngc/config, \
            .credentials.json, oauth_creds.json, **/.cache/huggingface/stored_tokens, .copilot, \
            .mcp-auth, **/.config/Claude, **/Library/Application Support/Claude, \
            **/Library/Application Support/Anthropic, **/.runpod/config.toml, .vast_api_key, .sgptrc, \
            **/.config/aichat/config.yaml",
        usual: "",
    },
    ProtectedGroup {
        why: "variables that usually contain passwords and keys",
        class: Secret,
        contents: NotNeeded,
        except: ".env.example, .env.sample, .env.template, .env.dist, .env.defaults",
        patterns: ".env*",
        usual: ".env.local, .env.production, .env.development, .env.staging, .env.test, .env.prod, \
            .env.dev",
    },
    ProtectedGroup {
        why: "variables that usually contain passwords and keys",
        class: Secret,
        contents: NotNeeded,
        except: "",
        patterns: ".envrc, .dev.vars, .flaskenv, env.local, env.production, env.prod, env.staging, \
            env.development, env.dev, env.test",
        usual: "",
    },
    ProtectedGroup {
        why: "variables that usually contain passwords and keys",
        class: Secret,
        contents: NotNeeded,
        except: "example.env, sample.env, template.env, default.env, defaults.env",
        patterns: "?*.env",
        usual: "prod.env, dev.env, local.env",
    },
    ProtectedGroup {
        why: "values that usually contain passwords and keys",
        class: Secret,
        contents: NotNeeded,
        except: "example.tfvars, sample.tfvars, example.tfvars.json, sample.tfvars.json",
        patterns: "*.tfvars, *.tfvars.json",
        usual: "terraform.tfvars",
    },
    ProtectedGroup {
        why: "SSH keys and login permissions",
        class: Secret,
        contents: NotNeeded,
        except: "*.pub",
        patterns: ".ssh",
        usual: "",
    },
    ProtectedGroup {
        why: "a private key",
        class: Secret,
        contents: NotNeeded,
        except: "*.pub",
        patterns: "id_rsa, id_ed25519, id_ecdsa, id_dsa, id_ed25519_sk, id_ecdsa_sk, id_xmss, id_rsa*, \
            id_ed25519*, id_ecdsa*, id_dsa*, ssh_host_*_key, *deploy_key, key.age, **/.age, \
            **/.android/adbkey, **/.near-credentials, **/.electrum, **/borg/keys, \
            /etc/ssh/ssh_host_*_key, /etc/ssl/private, /etc/pki/tls/private, \
            /etc/letsencrypt/archive, /etc/letsencrypt/live, /etc/wireguard, *.ppk, *.p12, *.pfx, \
            *.pkcs12, *.jks, *.bks, *.keystore, *.keytab, *.agekey, *.ovpn, .gnupg, secring.gpg, \
            **/sops/age/keys.txt, **/.config/age, wallet.dat, **/.ethereum/keystore, \
            **/.config/solana/id.json, \
            *.jceks, *.bcfks, *.pk8, *.psafe3, *.kwallet, *.fve, *.bek, .minisign, .passage, \
            **/.pki/nssdb, **/.step/secrets, acme.json, cwallet.sso, otr.private_key, **/.bitcoin, \
            **/.foundry/keystores, **/.brownie/accounts, **/.sui/sui_config, **/.aptos/config.yaml, \
            **/.tezos-client, **/.config/Exodus, /etc/ipsec.d/private, /etc/swanctl/private, \
            /etc/cryptsetup-keys.d, /crypto_keyfile.bin",
        usual: "",
    },
    ProtectedGroup {
        why: "it may contain a private key",
        class: Secret,
        contents: Key,
        except: "",
        patterns: "*.pem, *.key, *.p8",
        usual: "",
    },
    ProtectedGroup {
        why: "it contains a private key",
        class: Secret,
        contents: PrivateKey,
        except: "*.pub",
        patterns: "*_rsa, *_dsa, *_ecdsa, *_ed25519, *private_key, privatekey, key.txt, keys.txt, *.asc, \
            *.pkcs8",
        usual: "",
    },
    ProtectedGroup {
        why: "cloud keys and tokens",
        class: Secret,
        contents: NotNeeded,
        except: "",
        patterns: ".aws, .azure, **/.config/gcloud, .boto, .gsutil, .s3cfg, .passwd-s3fs, .oci, .bluemix, \
            .aliyun, .tccli, .fly, .mc, .railway, .cloudflared, .databrickscfg, .snowsql, \
            .snowflake, .kaggle, **/.config/doctl, **/.config/hcloud, **/.config/linode-cli, \
            **/.config/scw, **/.config/openstack, **/.config/rclone, **/.config/netlify, \
            **/.config/.wrangler, **/.wrangler/config, **/.config/configstore, **/.config/ngrok, \
            .ngrok2, **/.config/stripe, .twilio-cli, **/.local/share/heroku, \
            **/.local/share/com.vercel.cli, **/.supabase/access-token, **/supabase/access-token, **/.config/flyctl, **/.ansible/galaxy_token, \
            **/.confluent/config.json, **/.config/turborepo/config.json, **/.turbo/config.json, **/.config/atuin/key, \
            **/atuin/key, **/.pulumi/credentials.json, \
            application_default_credentials.json, clouds.yaml, **/.config/heroku, **/.heroku, \
            **/.netlify, **/.stripe, .rclone.conf, .linode-cli, .ovh.conf, \
            **/.config/earthengine/credentials, **/.expo/state.json, **/.cf/config.json, \
            access_tokens.db, credentials.db, accesstokens.json, msal_token_cache*, **/.cache/op, \
            .awsvault, .okta, .okta_aws_login_config, **/.config/auth0, .vultr-cli.yaml, .civo.json, \
            .tugboat, .koyeb.yaml, **/.render/cli.yaml, **/.config/exoscale, .b2_account_info, \
            **/.config/b2, keystonerc_*, *-openrc.sh, .dogrc, .newrelic, /etc/boto.cfg, \
            .google_authenticator, *recovery-codes*.txt, *recovery_codes*.txt",
        usual: "",
    },
    ProtectedGroup {
        why: "it can contain a package registry token",
        class: Secret,
        contents: CredentialsInSearch,
        except: "",
        patterns: ".npmrc",
        usual: "",
    },
    ProtectedGroup {
        why: "it can contain a package registry token",
        class: Secret,
        contents: Credentials,
        except: "",
        patterns: ".yarnrc, .yarnrc.yml, **/.bundle/config, **/.config/pip/pip.conf, **/.pip/pip.conf, \
            .condarc, **/.gradle/gradle.properties, **/.nuget/nuget/nuget.config, /etc/pip.conf, \
            **/.cargo/config, **/.cargo/config.toml, \
            .gemrc, bunfig.toml, .bunfig.toml, **/.cabal/config, **/.config/cabal/config, \
            **/.config/pdm/config.toml, .mambarc, **/.lein/profiles.clj",
        usual: "",
    },
    ProtectedGroup {
        why: "it can contain a token, or a password in a URL",
        class: Secret,
        contents: Credentials,
        except: "",
        patterns: "**/.config/nix/nix.conf, \
            **/.gitlab-runner/config.toml, /etc/gitlab-runner/config.toml, **/.config/code-server/config.yaml, \
            secret.txt, token.txt, api_key.txt, \
            mcp.json, mcp_config.json, claude_desktop_config.json, .hgrc, **/.config/hg/hgrc, \
            .reviewboardrc, heroku.json, deployment-config.json, profiles.yml, .myclirc, \
            **/.config/pgcli/config, **/.irssi/config, *.tfbackend, *.postman_environment.json, \
            **/.jupyter/*config.json, *.rdp, localsettings.php, /etc/gitlab/gitlab.rb, \
            **/gitea/conf/app.ini, /etc/redis/redis.conf, .renviron, wg[0-9].conf, \
            appsettings.*.json, **/config/database.yml, **/group_vars/**/vault.yml, **/.nuget/**/nuget.config",
        usual: "",
    },
    ProtectedGroup {
        why: "package registry tokens",
        class: Secret,
        contents: NotNeeded,
        except: "",
        patterns: ".pypirc, **/.cargo/credentials*, **/.gem/credentials, **/.composer/auth.json, \
            **/.config/composer/auth.json, **/.m2/settings.xml, **/.m2/settings-security.xml, \
            **/.ivy2/.credentials, **/.sbt/.credentials, **/.config/pypoetry/auth.toml, **/.config/poetry/auth.toml, \
            **/.local/share/uv/credentials, **/.hex/hex.config, auth.json, **/.jfrog, \
            **/.local/share/gem/credentials, **/.luarocks/upload_config.lua, pub-credentials.json, \
            pub-tokens.json, **/.lein/credentials.clj*, credentials.sbt, credentials.properties, \
            .pause, .continuum, **/.config/binstar, .packagecloud, credentials.ini",
        usual: "",
    },
    ProtectedGroup {
        why: "passwords and tokens for hosts and code hosting",
        class: Secret,
        contents: NotNeeded,
        except: "",
        patterns: ".netrc, _netrc, .authinfo, .git-credentials, **/.config/git/credentials, .gitcookies, \
            **/.config/gh, **/.config/glab-cli, **/.config/hub, **/.config/tea, \
            **/.subversion/auth, .p4tickets, .sentryclirc, **/.circleci/cli.yml, \
            **/.travis/config.yml, **/.slack/credentials.json, **/.git/credentials, \
            **/.config/Slack, **/.config/Signal, **/.config/discord, **/.jira.d, .remote-sync.json, \
            .token, token.json, tokens.json, token.pickle, .muttrc, .mutt, .esmtprc, .lftprc, \
            .smbcredentials, **/.davfs2/secrets, **/.vnc/passwd, .Xauthority, .ICEauthority, \
            **/.purple/accounts.xml, state.vscdb, /var/spool/mail, .curlrc, .wgetrc, .htpasswd, \
            .msmtprc, .mbsyncrc, .offlineimaprc, .fetchmailrc, .ftpconfig, sftp-config.json, \
            **/.config/filezilla, **/.local/share/remmina, .authinfo.gpg, .python-gitlab.cfg, \
            **/.config/msmtp/config, **/.config/isync/mbsyncrc, **/.config/aerc/accounts.conf, \
            **/.config/nix/netrc, .erlang.cookie, .secret, **/.local/share/jupyter/runtime, \
            /etc/nix/netrc, .git-credential-cache, **/.cache/git/credential, .arcrc, \
            **/.config/lab/lab.toml, **/.config/bk.yaml, /etc/buildkite-agent, \
            **/.local/share/forgejo-cli, .credentials, filezilla.xml, recentservers.xml, \
            sitemanager.xml, winscp.ini, ws_ftp.ini, ftpsync.settings, webservers.xml, \
            datasources.local.xml, **/.vscode/sftp.json, **/.vscode/ftp-sync.json, **/.lftp/bookmarks, \
            **/.local/share/lftp/bookmarks, *.remmina, rsyncd.secrets, proftpdpasswd, .htdigest, \
            cookies.txt, **/.httpie/sessions, **/.config/httpie/sessions, http-client.private.env.json, \
            **/.config/Postman, **/.config/Insomnia, **/.weechat/sec.conf, **/.config/weechat/sec.conf, \
            **/.local/share/TelegramDesktop, **/.config/Element, **/.local/share/signal-cli, \
            **/.config/Mattermost, **/.config/skypeforlinux, **/.config/himalaya, **/.config/neomutt, \
            **/.config/mutt, **/.config/evolution, **/.local/share/evolution, .claws-mail, \
            /etc/msmtprc, /etc/fetchmailrc, /etc/mail/authinfo",
        usual: "",
    },
    ProtectedGroup {
        why: "passwords for databases",
        class: Secret,
        contents: NotNeeded,
        except: "",
        patterns: ".pgpass, .pg_service.conf, .my.cnf, .mylogin.cnf, .mongorc.js, .cqlshrc, \
            **/.cassandra/credentials, .odbc.ini, **/.local/share/DBeaverData, \
            **/.dbt/profiles.yml, /etc/mysql/debian.cnf, \
            pgpass.conf, **/.config/psql/pgpass, .mongoshrc.js, .redisclirc, .usqlpass, .influxdbv2, **/.clickhouse-client, \
            credentials-config.json, dbeaver-data-sources.xml, robomongo.json, **/.cassandra/cqlshrc, \
            **/.config/planetscale, **/.config/turso, **/.config/neonctl, **/.config/xata, \
            **/.config/edgedb, .edgedb, **/.config/atlascli, **/.config/mongocli",
        usual: "",
    },
    ProtectedGroup {
        why: "a history of typed text, which may include passwords",
        class: Secret,
        contents: NotNeeded,
        except: "",
        patterns: ".bash_history, .zsh_history, .zhistory, .sh_history, .ksh_history, \
            **/.local/share/fish/fish_history, **/.local/share/atuin, .python_history, \
            .node_repl_history, .irb_history, .psql_history, .mysql_history, .sqlite_history, \
            .rediscli_history, .dbshell, **/.mongodb/mongosh, mongosh_history, .influx_history, \
            .clickhouse-client-history, .viminfo, **/.local/share/nvim/shada, .lesshst, \
            .php_history, .gdb_history, .pry_history, .scala_history, .lua_history, .ghci_history, \
            .xonsh_history, .python-history, .histfile, .pythonhist, .mutthistory, .rhistory, \
            consolehost_history.txt, **/.config/psysh/psysh_history, **/.config/nushell/history.*, \
            **/.ipython/profile_default/history.sqlite, **/.lldb/lldb-widehistory, \
            **/.local/state/nvim/shada, **/.claude/history.jsonl, **/.codex/history.jsonl",
        usual: "",
    },
    ProtectedGroup {
        why: "credentials of clusters and container registries",
        class: Secret,
        contents: NotNeeded,
        except: "",
        patterns: ".kube, kubeconfig, *.kubeconfig, kubeconfig*, **/.config/argocd, **/.argocd, .tsh, \
            **/.helm/repository/repositories.yaml, /etc/docker/key.json, \
            /etc/kubernetes/admin.conf, /etc/kubernetes/pki, /etc/rancher/k3s/k3s.yaml, \
            /etc/kubernetes/*.conf, \
            **/.talos/config, **/.docker/config.json, .dockercfg, .dockerconfigjson, \
            **/.config/containers, **/.config/helm/registry, /run/secrets, /var/run/secrets, \
            **/.docker/machine, **/.docker/trust, **/.docker/contexts, kubeadmin-password, \
            **/.rancher/cli2.json, /var/lib/kubelet, /var/lib/rancher/k3s/server",
        usual: "",
    },
    ProtectedGroup {
        why: "deployment secrets",
        class: Secret,
        contents: NotNeeded,
        except: "",
        patterns: ".vault-token, .vault_pass, .vault_pass.txt, vault_pass.txt, .vault-password, .vault_password, \
            .terraform.d, .terraformrc, *.tfstate, *.tfstate.*, .consul-token, .nomad-token, \
            secret.y*ml, secrets.env, secrets.ini, secrets.xml, secrets.properties, \
            serviceaccountkey*.json, wp-config.php*, /etc/grafana/grafana.ini, secrets.y*ml, .secrets.y*ml, \
            secrets.json, secrets.toml, .secrets, .secrets.toml, credentials.json, \
            credentials.y*ml, service-account*.json, service_account*.json, client_secret*.json, \
            *firebase-adminsdk*.json, local.settings.json, secrets.*.y*ml, secret.*.y*ml, *-secrets.y*ml, \
            secrets.*.json, secrets.*.toml, *credentials.csv, rootkey.csv, *accesskeys.csv, \
            credentials.txt, password.txt, passwords.txt, \
            .vault-pass, .vault-pass.txt, vault-pass.txt, vault_password.txt, vault-password.txt, \
            credentials.xml, encrypted_data_bag_secret, **/.acme.sh/account.conf, \
            **/jenkins_home/secrets, /var/lib/jenkins/secrets, *.pkrvars.hcl, *.pkrvars.json, *.tfplan, \
            key.properties, keystore.properties, mnemonic.txt",
        usual: "",
    },
    ProtectedGroup {
        why: "browser data: cookies and passwords",
        class: Secret,
        contents: NotNeeded,
        except: "",
        patterns: ".mozilla, .thunderbird, **/.config/google-chrome*, **/.config/chromium*, \
            **/.config/BraveSoftware, **/.config/microsoft-edge*, **/.config/vivaldi*, \
            **/.config/opera*, **/Library/Application Support/Google/Chrome, \
            **/Library/Application Support/Firefox, **/Library/Cookies, cookies.sqlite, \
            logins.json, key4.db, Login Data, \
            signons.sqlite, key3.db, **/.config/mozilla, .librewolf, .waterfox, .zen, \
            **/.local/share/qutebrowser, **/.local/share/epiphany, **/.w3m/cookie, \
            **/.var/app/com.google.Chrome, **/.var/app/org.chromium.Chromium, \
            **/.var/app/com.brave.Browser, **/snap/chromium",
        usual: "",
    },
    ProtectedGroup {
        why: "a password store",
        class: Secret,
        contents: NotNeeded,
        except: "",
        patterns: "**/.local/share/keyrings, **/.local/share/kwalletd, **/Library/Keychains, \
            .password-store, **/.config/op, .1password, **/.config/1Password, **/.config/Bitwarden, \
            **/.config/Bitwarden CLI, **/.config/keepassxc, .lpass, **/.local/share/lpass, \
            **/.local/share/gopass, *.kdbx, *.kdb, *.keychain, *.keychain-db, *.agilekeychain, \
            *.opvault, \
            **/.gnome2/keyrings, **/share/apps/kwallet, .lastpass, .keepass, .keepassx, .keepassxc, \
            **/.config/KeePass, **/.config/Enpass, **/.local/share/Enpass, *.enpassdb, **/.config/rbw, \
            **/.local/share/rbw, **/.cache/rbw, **/.config/keybase, **/.local/share/keybase",
        usual: "",
    },
    ProtectedGroup {
        why: "passwords of the system's users and networks",
        class: Secret,
        contents: NotNeeded,
        except: "",
        patterns: "/etc/shadow*, /etc/gshadow*, /etc/master.passwd, /etc/security/opasswd, /etc/sudoers, \
            /etc/sudoers.d, /etc/ppp/chap-secrets, /etc/ppp/pap-secrets, /etc/ipsec.secrets, \
            /etc/exim4/passwd.client, /etc/postfix/sasl_passwd*, /etc/samba/smbpasswd, \
            /var/lib/samba/private, /etc/NetworkManager/system-connections, /etc/wpa_supplicant, \
            /tmp/krb5cc_*, /var/backups/shadow*, /var/backups/gshadow*, /run/credentials, \
            /etc/credstore, /etc/credstore.encrypted, /run/credstore, /var/lib/cloud/instance, \
            /var/lib/cloud/instances, /var/lib/cloud/seed, \
            /run/cloud-init/instance-data-sensitive.json, /var/mail, /var/cache/debconf/passwords.dat, \
            /etc/netplan, /var/lib/iwd, /var/lib/NetworkManager/secret_key, /var/lib/tailscale, \
            /etc/gitlab/gitlab-secrets.json, /etc/ceph/*.keyring, \
            /etc/davfs2/secrets, /etc/ldap.secret, /etc/pam_ldap.secret, /etc/libnss-ldap.secret, \
            /etc/nslcd.conf, /etc/sssd, /var/lib/sss, /etc/sasldb2, /etc/racoon/psk.txt, /etc/duo, \
            /etc/freeradius, /etc/openvpn, /etc/ssmtp/ssmtp.conf, \
            /run/NetworkManager/system-connections, /run/user/*/krb5cc*, \
            /var/lib/systemd/credential.secret, /var/lib/bluetooth",
        usual: "",
    },
    ProtectedGroup {
        why: "kernel data about other processes",
        class: Secret,
        contents: NotNeeded,
        except: "",
        patterns: "/proc/**/environ, /proc/**/mem, /proc/**/fd, /proc/**/root, /proc/**/cwd, /proc/kcore, /proc/kmsg",
        usual: "",
    },
    ProtectedGroup {
        why: "a connection to another machine, for gawk",
        class: Secret,
        contents: NotNeeded,
        except: "",
        patterns: "/inet, /inet4, /inet6",
        usual: "",
    },
    ProtectedGroup {
        why: "a device that never ends, or gives access to the disk, memory or keyboard",
        class: Secret,
        contents: NotNeeded,
        except: "",
        patterns: "/dev/zero, /dev/full, /dev/random, /dev/urandom, /dev/hwrng, /dev/mem, /dev/kmem, \
            /dev/port, /dev/kmsg, /dev/sd*, /dev/hd*, /dev/nvme*, /dev/vd*, /dev/xvd*, \
            /dev/mmcblk*, /dev/dm-*, /dev/mapper, /dev/loop*, /dev/md*, /dev/nbd*, /dev/zd*, /dev/ram*, \
            /dev/sr*, /dev/raw, /dev/block, /dev/tty*, /dev/pts, /dev/console, /dev/vcs*, /dev/input, \
            /dev/uinput, /dev/hidraw*, \
            /dev/disk, /dev/sg*, /dev/st?, /dev/st??, /dev/nst*, /dev/bsg, /dev/mtd*, /dev/ubi*, \
            /dev/pmem*, /dev/bcache*, /dev/drbd*, /dev/rbd*, /dev/dasd*, /dev/zvol, /dev/nvram, \
            /dev/watchdog*, /dev/tpm*, /dev/cpu, /dev/fb0, /dev/video*, /dev/snd, /dev/bus, /dev/i2c-*, \
            /dev/fd0",
        usual: "",
    },
];

/// Every shipped pattern.
pub fn protected_patterns() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().flat_map(ProtectedGroup::patterns)
}

/// Why a shipped pattern is on the list.
pub(crate) fn reason_for(pattern: &str) -> Option<&'static str> {
    // Plain names are displayed as they are compared, in lower case.
    let listed = |listed: &str| listed == pattern || listed.to_lowercase() == pattern;
    GROUPS.iter().find(|group| group.patterns().any(listed)).map(|group| group.why)
}

#[cfg(test)]
mod tests {
    use super::reason_for;

    #[test]
    fn reason_is_found_in_either_case() {
        assert!(reason_for(".env*").is_some_and(|why| why.contains("passwords")));
        let cookies = "**/Library/Cookies";
        assert_eq!(reason_for(cookies), reason_for("cookies.sqlite"));
        assert_eq!(reason_for(".xauthority"), reason_for(".Xauthority"));
        assert_ne!(reason_for(".xauthority"), reason_for(".env*"));
        assert_eq!(reason_for("main.rs"), None);
    }
}
