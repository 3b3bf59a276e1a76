// Made from spec/openapi.json by `npm run types`. Do not edit.
/* eslint-disable */
export interface paths {
    "/api/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Questions, newest first; an agent sees its own
         * @description A page ends where its questions are 8 MiB together, also before `limit`: follow `next` until there is none.
         *
         *     For the roles agent, viewer, approver, admin.
         */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/approvals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One question
         * @description For the roles agent, viewer, approver, admin.
         */
        get: operations["getApproval"];
        put?: never;
        post?: never;
        /**
         * Withdraws a question; an agent its own
         * @description For the roles agent, approver, admin.
         */
        delete: operations["withdrawApproval"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/approvals/{id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answers a question; the first answer wins
         * @description The same answer again gives the same result, another one 409. After expiry or abort: 410. Saving rules that are wider than proposed needs an admin.
         *
         *     For the roles approver, admin.
         */
        post: operations["answerApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/approvals/{id}/wait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Waits until a question has ended, or for a while
         * @description Gives the question as it is then, still pending if the time was up. Waiting is only looking: it takes no answer.
         *
         *     For the roles agent, viewer, approver, admin.
         */
        get: operations["waitForApproval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rows of the record that fit, newest first
         * @description For the roles viewer, approver, admin.
         */
        get: operations["searchAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rows of the record for other programs, oldest first
         * @description As JSON lines each row is complete to the last byte, its signature included. In CSV a cell that a spreadsheet would take for a formula gets an apostrophe in front. An answer that breaks off is not complete.
         *
         *     For the roles viewer, approver, admin.
         */
        get: operations["exportAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/kinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All kinds of rows: what `kind` can be
         * @description For the roles viewer, approver, admin.
         */
        get: operations["auditKinds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/rows/{writer}/{seq}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One row and its place in its chain
         * @description For the roles viewer, approver, admin.
         */
        get: operations["getAuditRow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A span of time in numbers; the last day unless told
         * @description For the roles viewer, approver, admin.
         */
        get: operations["auditStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reads the whole record and checks that it is all there, and as it was written
         * @description One at a time. What was found is the answer, also where something does not hold.
         *
         *     For the roles viewer, approver, admin.
         */
        post: operations["verifyAudit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/can-use-tool": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * May this call run? Asks a human if it has to, and waits
         * @description Closing the connection withdraws the question. With `wait=false` a question is answered by 202 and the question; asking again with the same `toolUseId` takes the answer.
         *
         *     For the roles agent, admin.
         */
        post: operations["canUseTool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What the verdict on a call would be
         * @description Advisory: nothing is asked, nothing is recorded, and nothing may run on its word. An agent is told the decision and a sentence.
         *
         *     For the roles agent, viewer, approver, admin.
         */
        post: operations["decide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This description, as a page to read
         * @description Open to anyone.
         */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs.css": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What that page looks like
         * @description Open to anyone.
         */
        get: operations["getDocsStyle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same as server-sent events
         * @description Goes on after `Last-Event-ID` where what came since is still at hand; otherwise how things stand comes first.
         *
         *     What happens is told as `LiveEvent`: `snapshot`, `tool_approval_request`, `tool_approval_resolved`, `tool_execution_started`, `tool_execution_completed`, `rules_changed`; what other parts tell of as `PartEvent`.
         *
         *     For the roles agent, viewer, approver, admin.
         */
        get: operations["followEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/executions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * How a call ended that was let through
         * @description For the roles agent, admin.
         */
        post: operations["reportExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/hooks/{agent}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An agent's own hook, over HTTP: its JSON in, its JSON out
         * @description `claude-code` and `codex` (hooks and app-server approvals), `gemini-cli`, `opencode`. A human is waited for. The answer is always 200 once the caller is known, and a block says so in its body; give the hook `onFailure: "block"` for the rest.
         *
         *     For the roles agent, admin.
         */
        post: operations["hook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What you want to be notified of
         * @description For the roles viewer, approver, admin.
         */
        get: operations["getNotifications"];
        /**
         * Says what you want to be notified of
         * @description For the roles viewer, approver, admin.
         */
        put: operations["setNotifications"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This description, as an OpenAPI document
         * @description Open to anyone.
         */
        get: operations["getOpenapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every rule of every layer, where it stands, and how often it decided
         * @description Each rule is told in our own names, in `rule`, and in the flat form `serverId`, `toolName`, `toolPattern`, `autoApprove`, `priority`.
         *
         *     For the roles viewer, approver, admin.
         */
        get: operations["listRules"];
        put?: never;
        /**
         * Adds a rule to the database
         * @description Fields may stand beside `effect` or in `rule`. `serverId` and `toolName` are other names for `server` and `tool`, `autoApprove` for `effect`; two spellings have to agree. A rule that names nothing matches every call.
         *
         *     For the roles admin.
         */
        post: operations["addRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One rule
         * @description For the roles viewer, approver, admin.
         */
        get: operations["getRule"];
        /**
         * Puts another rule in the place of one
         * @description The whole rule: what is left out is gone. A rule of the user's own file is changed in that file, whose comments and order stay; its id may be another afterwards. Rules of other files and built-in ones are not changed here: 409.
         *
         *     For the roles admin.
         */
        put: operations["replaceRule"];
        post?: never;
        /**
         * Removes a rule
         * @description One of the database, or of the user's own file.
         *
         *     For the roles admin.
         */
        delete: operations["removeRule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/rules/suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rules that the answers of the last thirty days speak for
         * @description Five equal answers by people at least, none to the contrary, and still a question today.
         *
         *     For the roles viewer, approver, admin.
         */
        get: operations["suggestRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/rules/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a rule, or several together, would have done to the last calls
         * @description Judged by the rules in force, with and without them, by what was known of files then. Nothing is kept.
         *
         *     For the roles viewer, approver, admin.
         */
        post: operations["testRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who am I, and what is this server like?
         * @description For the roles agent, viewer, approver, admin.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Follows a link: the browser that sends this is known from then on
         * @description A link is good once, for a short while. What the browser is known by comes in two halves, neither of which is enough: a cookie that scripts cannot read, and `pageKey`, which the page keeps and sends with every request as `X-Sekisho-Page`, or for a WebSocket as the protocol `sekisho.page.<pageKey>` beside `sekisho`.
         *
         *     Open to anyone.
         */
        post: operations["signIn"];
        /**
         * Signs a browser out: what it was known by counts no more
         * @description For the roles agent, viewer, approver, admin.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All credentials, those that count no more included
         * @description For the roles admin.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Makes a token; its secret is told once
         * @description For the roles admin.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Takes a credential out of use, for good
         * @description The last one of an admin stays: 409.
         *
         *     For the roles admin.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tokens/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes a link that signs one device in, once, for a short while
         * @description For the roles admin.
         */
        post: operations["createLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/trust": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The registered projects, and whether their files are trusted as they are
         * @description For the roles admin.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Lets a project's own rules loosen, as they were read
         * @description `sha256` says what was read. A file that is another by now is not trusted: 409.
         *
         *     For the roles admin.
         */
        post: operations["trustProject"];
        /**
         * Takes trust away
         * @description For the roles admin.
         */
        delete: operations["distrustProject"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A WebSocket: first how things stand, then every change; answers are taken on it
         * @description Messages are `{type, data}`, with `seq` where something happened. An agent is told of its own questions and runs. A client that cannot set a header offers the protocols `sekisho` and `sekisho.token.<token>`; a page of this server `sekisho` and `sekisho.page.<pageKey>`.
         *
         *     What happens is told as `LiveEvent`: `snapshot`, `tool_approval_request`, `tool_approval_resolved`, `tool_execution_started`, `tool_execution_completed`, `rules_changed`; what other parts tell of as `PartEvent`.
         *
         *     For the roles agent, viewer, approver, admin.
         */
        get: operations["openSocket"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * `ok` while calls can be recorded
         * @description Open to anyone.
         */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is counted, for Prometheus
         * @description For the roles viewer, approver, admin.
         */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An answer that was taken. */
        Accepted: {
            /** @description The very same answer had been given before. */
            again: boolean;
            /** @description The question. */
            id: components["schemas"]["ApprovalId"];
            /** @description What was remembered. */
            remembered?: components["schemas"]["RememberedBody"];
        };
        /** @description What a reader of an address could miss. All text in it is visible text. */
        AddressNote: {
            /** @constant */
            code: "unreadable";
        } | {
            /** @constant */
            code: "not_web";
            /** @description Its scheme. */
            scheme: string;
        } | {
            /** @constant */
            code: "user_before_host";
            /** @description The user name. */
            user: string;
        } | {
            /** @constant */
            code: "blank";
        } | {
            /** @constant */
            code: "impossible_host";
            /** @description The name. */
            host: string;
        } | {
            /** @constant */
            code: "letters_beyond_ascii";
        } | {
            /** @constant */
            code: "host_written_otherwise";
            /** @description As it is read. */
            host: string;
        } | {
            /** @constant */
            code: "ip_written_otherwise";
            /** @description As it is read. */
            host: string;
        } | {
            /** @constant */
            code: "port";
            /**
             * Format: uint16
             * @description The port.
             */
            port: number;
        };
        /** @description What a rule lets through besides the call at hand. All text in it is visible text. */
        AlsoAllowed: {
            /** @constant */
            code: "commands_beginning";
            /** @description The words it begins with. */
            command: string;
        } | {
            /** @constant */
            code: "commands_like";
            /** @description The form; `*` is any text. */
            command: string;
        } | {
            /** @constant */
            code: "command_alone";
            /** @description The command. */
            command: string;
        } | {
            /** @description What is done to them. */
            access: components["schemas"]["PathAccess"];
            /** @constant */
            code: "files_below";
            /** @description The directory. */
            path: string;
        } | {
            /** @description What is done to it. */
            access: components["schemas"]["PathAccess"];
            /** @constant */
            code: "path";
            /** @description The path. */
            path: string;
        } | {
            /** @constant */
            code: "host";
            /** @description The host. */
            host: string;
        } | {
            /** @constant */
            code: "skill";
            /** @description The skill. */
            skill: string;
        } | {
            /** @constant */
            code: "server_tool";
            /** @description The server. */
            server: string;
            /** @description The tool. */
            tool: string;
        } | {
            /** @constant */
            code: "known_tool";
            /** @description The tool. */
            tool: string;
        } | {
            /** @constant */
            code: "tool_named";
            /** @description The name. */
            tool: string;
        };
        /** @description An answer. */
        AnswerBody: {
            /** @description Yes or no. */
            behavior: components["schemas"]["Behavior"];
            /**
             * @description The digest of what was shown. An answer to something else is not taken.
             * @default null
             */
            digest?: components["schemas"]["Digest"] | null;
            /**
             * @description Stop the run as well.
             * @default false
             */
            interrupt?: boolean;
            /**
             * @description Why; told to the model.
             * @default null
             */
            message?: string | null;
            /**
             * @description Rules to keep: `true` means the narrowest proposal, for the project.
             * @default null
             */
            remember?: components["schemas"]["RememberBody"] | null;
            /**
             * @description Another input to run instead: a full replacement, judged anew.
             * @default null
             */
            updatedInput?: unknown;
        };
        /** @description How many answers took how long. */
        AnswerBucket: {
            /**
             * Format: uint64
             * @description How many answers.
             */
            times: number;
            /**
             * Format: uint64
             * @description No longer than this, and longer than the one before; none: longer than all of them.
             */
            upToMs?: number;
        };
        /** @description What an answer came to. */
        AnswerTaken: {
            /** @description The very same answer had been given before. */
            again: boolean;
            /** @description The question as it is now. */
            approval: components["schemas"]["Question"];
            /** @description What was remembered. */
            remembered?: components["schemas"]["RememberedBody"];
        };
        /**
         * Format: uuid
         * @description A question put to humans.
         */
        ApprovalId: string;
        /** @description A shell command that was asked about. */
        AskedCommand: {
            /**
             * Format: uint64
             * @description How many of these were approved.
             */
            approved: number;
            /** @description Its leading words, as a rule would name them: `rm`, `git push`, `npm run build`. */
            command: string;
            /**
             * Format: uint64
             * @description How many were denied.
             */
            denied: number;
            /**
             * Format: uint64
             * @description In how many questions it was a reason for asking.
             */
            times: number;
            /** @description The tool, by its canonical name. */
            tool: string;
        };
        /** @description A tool that was asked about. */
        AskedTool: {
            /**
             * Format: uint64
             * @description How often it was approved.
             */
            approved: number;
            /**
             * Format: uint64
             * @description How often it was denied.
             */
            denied: number;
            /**
             * Format: uint64
             * @description How often nobody answered in time.
             */
            expired: number;
            /**
             * Format: uint64
             * @description How often.
             */
            times: number;
            /** @description The tool. */
            tool: string;
        };
        /** @description A chain, as seen from one row. */
        AuditChain: {
            /**
             * Format: uint64
             * @description The number of the chain's last row.
             */
            last: number;
            /**
             * Format: uint64
             * @description Rows up to this one were removed by age.
             */
            removedTo?: number;
            /** @description Whether the row is what was signed. That the whole chain holds is for verifying to say. */
            signature: components["schemas"]["Signature"];
        };
        AuditFormat: "jsonl" | "csv";
        /** @description A kind of row. */
        AuditKind: {
            /** @description Its name. */
            name: components["schemas"]["RecordKind"];
            /** @description The JSON Schema of its body, where a part registered it. */
            schema?: unknown;
        };
        /** @description All kinds of rows. */
        AuditKinds: {
            /** @description The gate's own first, then those that other parts registered. */
            kinds: components["schemas"]["AuditKind"][];
        };
        /** @description Something that does not hold. */
        AuditProblem: {
            /** @description What is wrong. */
            message: string;
            /**
             * Format: uint64
             * @description Which row; none: the chain as a whole.
             */
            seq?: number;
            /**
             * Format: uuid
             * @description Whose chain.
             */
            writer: string;
        };
        /** @description A row of the record. */
        AuditRow: {
            /** @description The agent. */
            agent?: string;
            /**
             * Format: uuid
             * @description The question it is about.
             */
            approval?: string;
            /** @description Who decided it. */
            approver?: string;
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Everything else: JSON, or the text where it is none. */
            body: unknown;
            /**
             * Format: uuid
             * @description The call it is about.
             */
            call?: string;
            /** @description Its own code. */
            code: string;
            /** @description Whose credential. */
            credential?: string;
            /** @description What was decided. */
            decision?: string;
            /**
             * Format: uuid
             * @description The execution it is about.
             */
            execution?: string;
            /**
             * Format: uint32
             * @description Which key signed it.
             */
            key: number;
            /** @description What kind of thing happened. */
            kind: string;
            /** @description What the line says, where no reason in the body does; absent in what was kept before there were codes. */
            line?: components["schemas"]["RecordLine"];
            /** @description The code of the row before, in hexadecimal. */
            previous: string;
            /**
             * Format: uint64
             * @description Its number in the chain, from 1.
             */
            seq: number;
            /** @description The MCP server. */
            server?: string;
            /** @description One line for people. */
            text: string;
            /** @description The tool. */
            tool?: string;
            /**
             * Format: uuid
             * @description Whose chain.
             */
            writer: string;
        };
        /** @description A row and its place in its chain. */
        AuditRowInChain: {
            /** @description Its chain. */
            chain: components["schemas"]["AuditChain"];
            /** @description The row. */
            row: components["schemas"]["AuditRow"];
        };
        /** @description A page of the record. */
        AuditRows: {
            /** @description What to send as `before` for the next page; none: this is the last. */
            next?: string;
            /** @description The rows, newest first. */
            rows: components["schemas"]["AuditRow"][];
        };
        /** @description A span of time in numbers. */
        AuditStats: {
            /**
             * Format: date-time
             * @description From this moment.
             */
            from: string;
            /** @description The numbers. */
            stats: components["schemas"]["Stats"];
            /**
             * Format: date-time
             * @description To this one.
             */
            to: string;
        };
        /** @description What verifying found. */
        AuditVerified: {
            /**
             * Format: uint
             * @description How many chains there are; none where reading ended early.
             */
            chains?: number;
            /** @description Whether all of it holds. */
            ok: boolean;
            /** @description What does not hold. Reading ends at the first. */
            problems: components["schemas"]["AuditProblem"][];
            /**
             * Format: uint64
             * @description How many rows were read.
             */
            rows: number;
        };
        /** @description Yes or no. */
        Behavior: "allow" | "deny";
        /** @description How a command reads what lies below a directory. */
        Below: {
            /** @description Names are cut at blanks, and the pieces opened in this directory. */
            cut?: string;
            /** @description It enters the directories it finds. */
            deep: boolean;
            /** @description Globs over names: it opens no file that one of them matches. */
            except?: string[];
            /** @description Globs over names: it enters no directory that one of them matches. */
            except_directories?: string[];
            /**
             * @description Globs over names: of the files that git tracks it opens none in the directory itself that one of them matches, also
             *     where it begins at the top.
             */
            except_here?: string[];
            /** @description Which files it opens by what git says of them. */
            git: components["schemas"]["GitFiles"];
            /** @description It opens names that begin with a dot. */
            hidden: boolean;
            /** @description What it does about links. */
            links: components["schemas"]["Links"];
            /** @description Globs over names: it opens files that one of them matches. Empty: all files. */
            only?: string[];
            /** @description Names are printed by git, which writes others than plain ones in quotes. */
            quoted?: boolean;
            /** @description Globs over names that begin with a dot: those are opened although others are not. */
            unhidden?: string[];
            /** @description Of the files that git tracks, those in these places; they are absolute, or begin with `~`. Empty: all files. */
            within?: string[];
        };
        /** @description A call that wants to run. */
        CanUseTool: {
            /**
             * @description Who is asking. Counts for an allow only where the token is bound to it.
             * @default null
             */
            agentId?: string | null;
            /**
             * @description `true`: a human is asked even where questions are switched off (`TOOL_APPROVAL_ENABLED=false`). Hooks say so.
             * @default false
             */
            alwaysAsk?: boolean;
            /**
             * @description The conversation the call belongs to.
             * @default null
             */
            conversationId?: string | null;
            /**
             * @description The directory the call would run in, absolute.
             * @default null
             */
            cwd?: string | null;
            /**
             * @description What the tool does and where in its input the commands, paths and addresses stand. A claim: the verdict is
             *     never looser with it than without.
             * @default null
             */
            descriptor?: components["schemas"]["ToolDescriptor"] | null;
            /** @description The tool's input. */
            input: {
                [key: string]: unknown;
            };
            /**
             * @description The JSON Schema of the tool's input, up to 64 KiB. Where a human edits the input, it is checked by this first.
             * @default null
             */
            inputSchema?: {
                [key: string]: unknown;
            } | null;
            /**
             * @description What happens when nobody answers in time: turned back, or the question stays open without an end.
             * @default null
             */
            onTimeout?: components["schemas"]["OnTimeout"] | null;
            /**
             * @description The root of the project the session began in, absolute. Its rules loosen only where it is registered here; no other
             *     project's do.
             * @default null
             */
            projectRoot?: string | null;
            /**
             * @description The run the call belongs to.
             * @default null
             */
            runId?: string | null;
            /**
             * @description The MCP server the tool belongs to.
             * @default null
             */
            serverId?: string | null;
            /**
             * @description `false`: nobody can be asked, so a question is a no.
             * @default null
             */
            supportsConfirm?: boolean | null;
            /**
             * Format: uint64
             * @description How long to wait for a human, in milliseconds; rounded up to whole seconds. Without it the rule that asks says so, or 120 s.
             * @default null
             */
            timeoutMs?: number | null;
            /** @description The tool's name, as the agent says it. */
            toolName: string;
            /** @description The call's own id. Asking again under it joins the question, or reads its answer. */
            toolUseId: string;
            /**
             * @description A label for the workspace; never a path.
             * @default null
             */
            workspaceId?: string | null;
        };
        /** @description How many calls go from one decision to another. */
        ChangeCount: {
            /** @description With them. */
            after: components["schemas"]["Decision"];
            /** @description Without the rules. */
            before: components["schemas"]["Decision"];
            /**
             * Format: uint
             * @description How many.
             */
            count: number;
        };
        /** @description A past call, judged without the rules and with them. */
        ChangedCall: {
            /** @description What they would with the tried ones. */
            after: components["schemas"]["Decision"];
            /**
             * Format: date-time
             * @description When it was asked about.
             */
            at: string;
            /** @description What today's rules decide. */
            before: components["schemas"]["Decision"];
            /**
             * Format: uuid
             * @description The call.
             */
            callId: string;
            /** @description The tool and its main input, in one line. */
            message: string;
            /** @description The tool. */
            toolName: string;
            /** @description What was decided then. */
            wasThen: components["schemas"]["Decision"];
        };
        /** @description What a cited rule says of itself on the wire. */
        CitedRule: {
            effect: components["schemas"]["Effect"];
            /** Format: uuid */
            id?: string;
            layer: components["schemas"]["LayerKind"];
            /** Format: uint32 */
            line: number;
            /** Format: int32 */
            priority: number;
            rule: unknown;
            source: string;
        };
        /** @description A tool that finished. */
        Completed: {
            /** @description The question that let it through, if one did. */
            approvalId?: components["schemas"]["ApprovalId"];
            /** @description Its run. */
            executionId: components["schemas"]["ExecutionId"];
            /** @description Whether it failed. */
            isError: boolean;
            /** @description The tool. */
            toolName?: string;
        };
        /** @description One rule that had to do with a call. */
        Considered: {
            /** @description What became of it. */
            outcome: components["schemas"]["Outcome"];
            /** @description The rule. */
            rule: components["schemas"]["CitedRule"];
        };
        /** @description A level, and what it is about. The sentence is made when it is asked for. */
        Danger: {
            /** @description Why. Absent in what was kept before there were codes. */
            code?: components["schemas"]["DangerCode"];
            /** @description What else there is to it, after `code`. */
            further?: components["schemas"]["DangerCode"][];
            /** @description How much care. */
            level: components["schemas"]["DangerLevel"];
            /** @description Why, for people. What it says may change; programs read the code. */
            why: string;
        };
        /**
         * @description What a call does to the world.
         * @enum {string}
         */
        DangerCode: "acts_on_github" | "acts_on_cluster" | "acts_on_device" | "acts_on_forge" | "acts_on_cloud" | "acts_on_cloud_storage" | "acts_on_containers" | "acts_on_containers_or_machines" | "acts_on_images_or_volumes" | "acts_on_deployments" | "builds_go_programs" | "builds_and_runs_program" | "builds_and_runs_packages" | "builds_and_runs_tests" | "builds_and_runs_project" | "calls_github_api" | "may_overwrite_files" | "overwrites_remote_history" | "may_overwrite_uncommitted" | "changes_repository" | "changes_files" | "changes_git_settings" | "changes_infrastructure" | "changes_infrastructure_or_reveals_secrets" | "changes_databases" | "changes_file_systems" | "changes_other_machines" | "changes_cluster" | "changes_secrets" | "changes_settings" | "changes_machine_settings" | "changes_submodules" | "changes_network" | "changes_dependencies" | "changes_remotes" | "changes_repository_and_runs_hooks" | "changes_running_system" | "changes_users" | "changes_infrastructure_state" | "changes_published_or_credentials" | "changes_schedule" | "changes_trusted_software" | "changes_directory_permissions" | "changes_permissions" | "changes_owner_or_permissions" | "checks_or_rewrites_sources" | "checks_out_commits" | "connects_programs_and_network" | "contacts_remote" | "contacts_remotes" | "copies_between_machines" | "copies_files" | "changes_remote_storage" | "creates_files_or_changes_times" | "creates_files_or_directories" | "changes_working_trees" | "truncates_files" | "deletes_branch" | "deletes_file_or_empty_directory" | "deletes_release" | "deletes_repository" | "deletes_working_tree" | "deletes_issue" | "deletes_remote_branches" | "deletes_build_results" | "deletes_directories" | "deletes_found_files" | "deletes_files" | "deletes_or_moves_tag" | "deletes_tracking_branches" | "deletes_cluster_resources" | "deletes_stored_data" | "deletes_untracked_files" | "destroys_files" | "destroys_infrastructure" | "discards_all_stashed_changes" | "discards_stashed_changes" | "discards_uncommitted_changes" | "downloads_repository" | "downloads_submodules" | "downloads_and_installs_programs" | "downloads_and_runs_code" | "downloads_and_runs_packages" | "downloads_or_builds_programs" | "downloads_packages_and_runs_code" | "downloads_packages_and_runs_install_scripts" | "downloads_packages_or_runs_code" | "downloads_packages_or_runs_scripts" | "downloads_programs_or_runs_them" | "downloads_builds_and_installs_programs" | "ends_processes" | "ends_processes_by_name" | "gives_container_access" | "handles_credentials" | "handles_keys" | "handles_keys_and_connections" | "handles_keys_and_secrets" | "installs_or_runs_downloaded_code" | "installs_or_runs_software" | "installs_software" | "logs_in_with_password" | "makes_link" | "makes_commits_unrecoverable" | "manages_compilers" | "manages_infrastructure" | "manages_packages" | "manages_system_packages" | "merges_pull_request" | "moves_files" | "moves_branch_or_index" | "moves_uncommitted_changes" | "opens_pager" | "opens_raw_connection" | "opens_editor" | "overwrites_file" | "publishes_package" | "publishes_package_or_handles_credentials" | "publishes_release" | "publishes_image_or_logs_in" | "reaches_network" | "reaches_network_and_writes_files" | "reads_from_cluster" | "reads_package_list" | "reads_service_state" | "reads_system_state" | "reads_whole_databases" | "removes_containers" | "removes_packages" | "removes_software" | "compresses_files" | "rewrites_commits" | "rewrites_files" | "rewrites_files_in_place" | "rewrites_history" | "repeats_command_endlessly" | "traces_command" | "runs_command_as_service" | "runs_command_at_every_change" | "runs_command_for_every_argument" | "runs_command_for_every_file" | "runs_command_for_many_commits" | "runs_command_in_cluster" | "runs_command_in_container" | "runs_command_in_another_namespace" | "runs_command_in_another_window" | "runs_command_in_every_submodule" | "runs_command_in_new_namespaces" | "runs_command_under_another_root" | "runs_command_with_other_rights" | "runs_container_in_cluster" | "runs_container" | "sources_file" | "runs_package_manager" | "runs_program" | "runs_scripting_program" | "runs_script_of_package" | "records_shell" | "runs_text_as_commands" | "runs_text_later" | "runs_text_or_file_as_commands" | "runs_another_command" | "runs_build_scripts" | "runs_commands_as_other_user" | "runs_commands_in_other_session" | "runs_commands_later" | "runs_commands_on_other_machine" | "runs_statements_on_database" | "runs_build_file" | "runs_makefile" | "runs_commands_of_sources" | "runs_project_code" | "runs_project_configuration" | "runs_virtual_machines" | "runs_project_commands" | "sends_commits" | "sends_data" | "sends_mail" | "serves_repository_or_credentials" | "sets_system_clock" | "starts_workflow" | "starts_another_agent" | "starts_another_program" | "starts_containers" | "starts_or_ends_service" | "starts_other_programs" | "starts_stops_or_changes_services" | "stops_or_removes_containers_or_images" | "stops_machine" | "adds_files_to_repository" | "takes_orders_from_file" | "sends_message" | "waits_endlessly" | "writes_file" | "writes_archive" | "writes_buffers_to_disk" | "writes_files" | "writes_raw_bytes" | "writes_files_and_runs_programs" | "writes_or_overwrites_files" | "touches_protected" | "runs_fetched" | "runs_decoded" | "input_changes_meaning" | "opens_file_by_redirect" | "only_reads" | "too_large_to_judge" | "reads_files" | "runs_programs" | "loads_instructions" | "stays_in_conversation" | "unknown_tool" | "reads_and_may_change" | "unknown_server_tool" | "hides_terminal_sequence" | "hides_control_character" | "hides_direction_change" | "hides_spelled_text" | "hides_blank_letter" | "hides_zero_width" | "impossible_host" | "user_before_host";
        /** @description How much care a call wants. */
        DangerLevel: "none" | "caution" | "danger";
        /** @description A call to judge, without asking anyone. */
        Decide: {
            /**
             * @description Who is asking. Counts for an allow only where the token is bound to it.
             * @default null
             */
            agentId?: string | null;
            /**
             * @description The conversation the call belongs to.
             * @default null
             */
            conversationId?: string | null;
            /**
             * @description The directory the call would run in, absolute.
             * @default null
             */
            cwd?: string | null;
            /**
             * @description What the tool does and where in its input the commands, paths and addresses stand. A claim: the verdict is
             *     never looser with it than without.
             * @default null
             */
            descriptor?: components["schemas"]["ToolDescriptor"] | null;
            /**
             * @description The tool's input.
             * @default {}
             */
            input?: {
                [key: string]: unknown;
            };
            /**
             * @description `true`: what it would be for somebody whose server and agent are proven to be what they say. Not for agents.
             * @default false
             */
            namesProven?: boolean;
            /**
             * @description The run the call belongs to.
             * @default null
             */
            runId?: string | null;
            /**
             * @description The MCP server the tool belongs to.
             * @default null
             */
            serverId?: string | null;
            /**
             * @description `false`: nobody can be asked, so a question is a no.
             * @default null
             */
            supportsConfirm?: boolean | null;
            /** @description The tool's name, as the agent says it. */
            toolName: string;
            /**
             * @description The call's own id; nothing depends on it here.
             * @default null
             */
            toolUseId?: string | null;
            /**
             * @description A label for the workspace; never a path.
             * @default null
             */
            workspaceId?: string | null;
        };
        /** @description What the verdict on a call would be. Advisory: nothing may run on its word. */
        Decided: {
            /** @description The rules that were looked at, and what came of each; not for agents. */
            considered?: components["schemas"]["Considered"][];
            /** @description How much care the call wants. */
            danger: components["schemas"]["Danger"];
            /** @description What was decided. */
            decision: components["schemas"]["Decision"];
            /** @description Why, in a sentence. */
            reason: string;
            /** @description All of it; not for agents. */
            verdict?: components["schemas"]["Verdict"];
        };
        /** @description The decision on a call, from loosest to strictest. Combining decisions takes the maximum. */
        Decision: "allow" | "confirm" | "deny";
        /**
         * @description A descriptor, and who gave it.
         *
         *     Nothing that arrives in a request is read as one of these: requests hold a [`WrittenDescriptor`], which becomes a claim.
         *     The serde form is that of stored calls.
         */
        Described: {
            by: components["schemas"]["DescribedBy"];
            tool: components["schemas"]["Descriptor"];
        };
        /** @description Who describes a tool. */
        DescribedBy: "caller" | "registry" | "pinned_server";
        /**
         * @description What a tool does, and where in its input it finds what it acts on. Its lists suit its kind, and no field stands in one
         *     list twice.
         */
        Descriptor: {
            /** @description Where addresses stand that are fetched. */
            addresses?: string[];
            /** @description Where commands stand: each a text, or the words of one command as a list. */
            commands?: string[];
            /** @description What the tool does. */
            kind: components["schemas"]["DescriptorKind"];
            /** @description The tool changes nothing. It lets nothing through. */
            readOnly?: boolean;
            /** @description Where paths of files stand that are read: each a text or a list of texts. */
            reads?: string[];
            /** @description Where paths of directories stand that are searched or read with everything below them. */
            searches?: string[];
            /** @description Where paths of files stand that are written, edited or deleted. */
            writes?: string[];
        };
        /** @description What a tool does. */
        DescriptorKind: "shell" | "read_files" | "search_files" | "write_files" | "web" | "composite" | "unknown";
        /** @description Changed lines that stand together. */
        DiffHunk: {
            /** @description The lines. */
            lines: components["schemas"]["DiffLine"][];
        };
        /** @description A line of a diff. */
        DiffLine: {
            /**
             * Format: uint32
             * @description Its number afterwards, from 1.
             */
            new?: number;
            /**
             * Format: uint32
             * @description Its number before, from 1.
             */
            old?: number;
            /** @description What becomes of it. */
            sign: components["schemas"]["DiffSign"];
            /** @description What it says, without its line break. */
            text: string;
        };
        /** @description What becomes of a line. */
        DiffSign: " " | "+" | "-";
        /**
         * @description SHA-256 over the canonical JSON (RFC 8785) of a call's server, tool, input and directory, and of its descriptor where it
         *     has one.
         */
        Digest: string;
        /** @description Trust to take away. */
        DistrustBody: {
            /** @description The project's root, as it is listed. */
            root: string;
        };
        /** @description What a rule does with the calls it matches, from loosest to strictest. */
        Effect: "allow" | "confirm" | "deny";
        /** @description How a call ended that was let through. */
        Ended: {
            /**
             * Format: int64
             * @description How long it took.
             * @default null
             */
            durationMs?: number | null;
            /** @description Whether it failed. */
            isError: boolean;
            /**
             * @description What it gave; kept out of the log, forgotten with the call's input.
             * @default null
             */
            output?: string | null;
        };
        /** @description The body of every answer that is an error. */
        ErrorBody: {
            /** @description What went wrong. */
            error: components["schemas"]["ErrorDetail"];
        };
        /** @description What went wrong. */
        ErrorDetail: {
            /** @description Which kind, for programs. */
            code: string;
            /** @description The field of the request that is at fault, where it is one. */
            field?: string;
            /** @description What to do. */
            hint?: string;
            /** @description What was wrong and where, for people. */
            message: string;
        };
        /** @description An answer that speaks for a rule. */
        Evidence: {
            /**
             * Format: uuid
             * @description The question.
             */
            approvalId: string;
            /**
             * Format: date-time
             * @description When it was answered.
             */
            at: string;
            /** @description By whom. */
            by: string;
            /** @description What was asked, in one line. */
            message: string;
        };
        /** @description One example: a command, path, URL or skill name for rules that speak of one, else a tool name; or a whole call. */
        Example: string | components["schemas"]["ExampleCall"];
        /** @description A whole call as an example. */
        ExampleCall: {
            /** @description The agent. */
            agent?: string;
            /** @description The tool's input. */
            input?: unknown;
            /** @description The MCP server. */
            server?: string;
            /** @description The tool's name. */
            tool: string;
        };
        /** @description A whole call as an example. */
        ExampleCallInput: {
            /** @description The agent. */
            agent?: string | null;
            /** @description The tool's input. */
            input?: unknown;
            /** @description The MCP server. */
            server?: string | null;
            /** @description The tool's name. */
            tool: string;
        };
        /** @description One example: a command, path, URL or skill name for rules that speak of one, else a tool name; or a whole call. */
        ExampleInput: string | components["schemas"]["ExampleCallInput"];
        /**
         * Format: uuid
         * @description One run of one tool.
         */
        ExecutionId: string;
        /** @description What was found. */
        Fact: {
            resolved: string;
        } | {
            repository: components["schemas"]["Repository"];
        } | {
            tracked_links: boolean;
        } | {
            glob_option: boolean;
        } | {
            files: components["schemas"]["FilesFound"];
        } | {
            contents: components["schemas"]["Holds"];
        };
        /** @description Facts by what they answer. What is not in here is unknown, and unknown never allows. */
        Facts: [
            components["schemas"]["Need"],
            components["schemas"]["Fact"]
        ][];
        /** @description A field of the input that the form does not show. All text in it is visible text. */
        FieldBeside: {
            /** @description Its name. */
            name: string;
            /** @description What it says: a text as it is, anything else as JSON. */
            value: string;
        };
        /** @description What happens to a file. */
        FileChange: "created" | "changed" | "deleted" | "same" | "unknown";
        /** @description What would become of one file. */
        FileDiff: {
            /**
             * Format: uint
             * @description How many lines are added.
             */
            added: number;
            /** @description What happens to it. */
            change: components["schemas"]["FileChange"];
            /** @description The changed lines with a few around them. */
            hunks: components["schemas"]["DiffHunk"][];
            /** @description Where it is moved to. */
            movedTo?: string;
            /** @description The same as codes, one for each sentence; empty in what was kept before there were codes. */
            noteCodes?: components["schemas"]["FileNote"][];
            /** @description What else to know. Where the change is `unknown`: why, and the hunks are what was asked for, not what comes of it. */
            notes?: string[];
            /** @description The file; absolute where that can be told, else as the call names it. */
            path: string;
            /**
             * Format: uint
             * @description How many lines are removed.
             */
            removed: number;
        };
        /** @description A file that was read to show a call. */
        FileMark: {
            /** @description `absent`, or the SHA-256 of its bytes. */
            mark: string;
            /** @description Absolute, and as it is: for looking the file up again, not for showing. */
            path: string;
        };
        /** @description What to know about the change of a file, or why it cannot be told what comes of it. All text in it is visible text. */
        FileNote: {
            /** @constant */
            code: "no_such_file";
        } | {
            /** @constant */
            code: "unshown";
            /** @description Why, for people. */
            why: string;
        } | {
            /** @constant */
            code: "other_machine";
        } | {
            /** @constant */
            code: "name_unclear";
        } | {
            /** @constant */
            code: "directory_unclear";
        } | {
            /** @constant */
            code: "directory_unknown";
        } | {
            /** @constant */
            code: "reached_by_link";
            /** @description The path. */
            path: string;
            /** @description Where the file really is. */
            target: string;
        } | {
            /** @constant */
            code: "move_overwrites";
        } | {
            /** @description Why. */
            because: components["schemas"]["FileNote"];
            /** @constant */
            code: "move_unclear";
        } | {
            /** @constant */
            code: "sketch";
        } | {
            /** @constant */
            code: "last_line_break_removed";
        } | {
            /** @constant */
            code: "last_line_break_added";
        } | {
            /** @constant */
            code: "compared_as_block";
        } | {
            /** @constant */
            code: "lines_not_shown";
            /**
             * Format: uint
             * @description How many.
             */
            lines: number;
        } | {
            /** @constant */
            code: "too_much_work";
        } | {
            /** @description Why. */
            because: components["schemas"]["FileNote"];
            /** @constant */
            code: "edit";
            /**
             * Format: uint
             * @description Which, from 1.
             */
            number: number;
        } | {
            /** @constant */
            code: "nothing_to_replace";
        } | {
            /** @constant */
            code: "text_not_found";
        } | {
            /** @constant */
            code: "text_found_twice";
        } | {
            /** @constant */
            code: "text_found_other_times";
            /**
             * Format: uint
             * @description How often it does.
             */
            found: number;
            /**
             * Format: uint64
             * @description How often it should.
             */
            times: number;
        } | {
            /** @constant */
            code: "too_large";
            /**
             * Format: uint
             * @description The most, in bytes.
             */
            most: number;
        } | {
            /** @description Why. */
            because: components["schemas"]["FileNote"];
            /** @constant */
            code: "chunk";
            /**
             * Format: uint
             * @description Which, from 1.
             */
            number: number;
        } | {
            /** @constant */
            code: "anchor_not_found";
        } | {
            /** @constant */
            code: "anchor_found_twice";
        } | {
            /** @constant */
            code: "lines_not_found";
        } | {
            /** @constant */
            code: "lines_found_twice";
        };
        /** @description The files that a command would open: what a glob expands to, and what lies below. */
        FileSearch: {
            /** @description How what lies below is read, if it is. */
            below?: components["schemas"]["Below"];
            /** @description Absolute, or begins with `~` for the home directory. */
            directory: string;
            /** @description A name that begins with `-` counts: the command would take it for an option. */
            no_options?: boolean;
            /** @description A glob that bash expands in it, written as for [`Need::GlobOption`]. Without one, the directory itself. */
            pattern?: string;
            /** @description From the top of the git repository around the directory on. */
            top?: boolean;
            /** @description A name with blanks, quotes or wildcards in it counts: it would become other names. */
            whole_names?: boolean;
        };
        /** @description The protected files among those that a command would open. */
        FilesFound: {
            protected: components["schemas"]["FoundFile"][];
        } | "too_many" | {
            may_be_option: string;
        } | {
            splits: string;
        };
        /** @description The form fit to the tool. All text in it is visible text: hidden characters are written out as `\u{…}`. */
        Form: {
            /** @constant */
            form: "json";
        } | {
            /** @constant */
            form: "command";
            /**
             * @description Its parts, in the order they stand. Nested ones that stand in the text are in this list as well. Of more than
             *     2000 the gravest are marked, and `leftOut` says how many are not.
             */
            parts: components["schemas"]["MarkedPart"][];
            /** @description The text verbatim, line breaks and tabs included. */
            text: string;
        } | {
            /** @description One for each file. */
            files: components["schemas"]["FileDiff"][];
            /** @constant */
            form: "diff";
        } | {
            /** @description Each of them. */
            addresses: components["schemas"]["WebAddress"][];
            /** @constant */
            form: "url";
        };
        /** @description A protected file that a command would open. */
        FoundFile: {
            /** @description Its path as the command comes by it; a directory ends with a slash. */
            path: string;
            /** @description The entry of the list of protected paths. */
            pattern: string;
            /** @description Reading it gives something away. */
            secret: boolean;
        };
        /** @description Which files are opened by what git says of them. */
        GitFiles: "all" | "not_ignored" | "tracked" | "changed";
        /** @description A character that was written out. */
        HiddenCharacter: {
            /** @description What it does. */
            hiding: components["schemas"]["Hiding"];
            /** @description As it is written out: `\u{202e}`. */
            shown_as: string;
            /**
             * Format: uint
             * @description How often it occurs in the call.
             */
            times: number;
        };
        /** @description How a character hides or disguises text. */
        Hiding: "escape" | "control" | "direction" | "zero_width" | "tag" | "selector" | "filler" | "blank" | "private_use" | "unassigned" | "lone_mark";
        /** @description What a file holds. */
        Holds: "no_secret" | "secret";
        /** @description An hour. */
        Hour: {
            /**
             * Format: uint64
             * @description Let through without a question.
             */
            allowed: number;
            /**
             * Format: uint64
             * @description Half of the answers that people gave in this hour took no longer, in milliseconds.
             */
            answerP50Ms?: number;
            /**
             * Format: uint64
             * @description What people said yes to in this hour, whenever it was asked.
             */
            approved: number;
            /**
             * Format: uint64
             * @description Asked about.
             */
            asked: number;
            /**
             * Format: date-time
             * @description When it began.
             */
            at: string;
            /**
             * Format: uint64
             * @description Turned back without a question.
             */
            denied: number;
            /**
             * Format: uint64
             * @description What people said no to in this hour.
             */
            rejected: number;
        };
        /** @description Where rules come from. The order is that of display, not of strength. */
        LayerKind: "built_in" | "managed" | "global" | "project" | "database" | "session";
        /** @description What of a call is not shown. All text in it is visible text. */
        LeftOut: {
            /**
             * Format: uint
             * @description How much of it.
             */
            bytes: number;
            /** @constant */
            code: "command";
        } | {
            /**
             * Format: uint
             * @description How much of it.
             */
            bytes: number;
            /** @constant */
            code: "input";
        } | {
            /**
             * Format: uint
             * @description How much of it.
             */
            bytes: number;
            /** @constant */
            code: "address";
        } | {
            /**
             * Format: uint
             * @description How much of it.
             */
            bytes: number;
            /** @constant */
            code: "field";
            /** @description The field. */
            field: string;
        } | {
            /**
             * Format: uint
             * @description How much of it.
             */
            bytes: number;
            /** @constant */
            code: "change";
            /** @description The file. */
            path: string;
        } | {
            /**
             * Format: uint
             * @description How much of it.
             */
            bytes: number;
            /** @constant */
            code: "sentences";
        } | {
            /** @constant */
            code: "marks";
            /**
             * Format: uint
             * @description How many.
             */
            parts: number;
        } | {
            /** @constant */
            code: "fields";
            /**
             * Format: uint
             * @description How many.
             */
            fields: number;
        } | {
            /**
             * Format: uint
             * @description How many.
             */
            changes: number;
            /** @constant */
            code: "changes";
        } | {
            /** @description Why. */
            because: components["schemas"]["FileNote"];
            /** @constant */
            code: "file_now";
            /** @description The file. */
            path: string;
        } | {
            /** @constant */
            code: "files_now";
            /** @description The first of them. */
            path: string;
        } | {
            /** @constant */
            code: "purged";
        };
        /** @description What is done about links that are found. */
        Links: "skip" | "open" | "follow";
        /** @description What happened. */
        LiveEvent: {
            data: components["schemas"]["Standing"];
            /** @constant */
            type: "snapshot";
        } | {
            data: components["schemas"]["SeenQuestion"];
            /** @constant */
            type: "tool_approval_request";
        } | {
            data: components["schemas"]["Resolved"];
            /** @constant */
            type: "tool_approval_resolved";
        } | {
            data: components["schemas"]["Started"];
            /** @constant */
            type: "tool_execution_started";
        } | {
            data: components["schemas"]["Completed"];
            /** @constant */
            type: "tool_execution_completed";
        } | {
            data: components["schemas"]["Nothing"];
            /** @constant */
            type: "rules_changed";
        };
        /** @description A reply to what one listener said. */
        LiveReply: {
            data: components["schemas"]["Accepted"];
            /** @constant */
            type: "tool_approval_accepted";
        } | {
            data: components["schemas"]["Wrong"];
            /** @constant */
            type: "error";
        } | {
            data: components["schemas"]["Nothing"];
            /** @constant */
            type: "pong";
        };
        /** @description A link for one device, once. */
        MadeLink: {
            /**
             * Format: date-time
             * @description It can be followed until this moment.
             */
            expiresAt: string;
            /** @description The same as a picture that a phone can read, in SVG. */
            qrSvg: string;
            /** @description What the device opens. */
            url: string;
        };
        /** @description A token that was made. */
        MadeToken: {
            /** @description What opens the door. It is told this once. */
            secret: string;
            /** @description The token. */
            token: components["schemas"]["TokenBody"];
        };
        /** @description A marked part of a shell text. */
        MarkedPart: {
            /** @description What it does to the world, where that is known. */
            danger?: components["schemas"]["Danger"];
            /** @description What was decided for it alone. */
            decision: components["schemas"]["Decision"];
            /** @description What it runs that has no place in the text. */
            inner?: components["schemas"]["MarkedPart"][];
            /** @description What it is. */
            kind: components["schemas"]["PartKind"];
            /** @description Where it stands in the visible text, in UTF-8 bytes; none for what stands in no text (the inside of `bash -c '…'`). */
            range?: [
                number,
                number
            ];
            /** @description The part itself. */
            text: string;
            /** @description Why, in a sentence. */
            why: string;
        };
        /** @description A fact that judging a call depends on. */
        Need: {
            resolve: string;
        } | {
            repository: string;
        } | {
            tracked_links: string;
        } | {
            glob_option: {
                /** @description Absolute. */
                directory: string;
                /** @description The glob as written, quotes removed; what was quoted and would be a wildcard has a `\` before it. */
                pattern: string;
            };
        } | {
            files: components["schemas"]["FileSearch"];
        } | {
            contents: string;
        };
        /** @description A link to be made. */
        NewLinkBody: {
            /** @description What the device will be called: characters that show themselves. */
            name: string;
            /** @description What it will be able to do: anything but ask. */
            role: components["schemas"]["Role"];
        };
        /** @description A token to be made. */
        NewTokenBody: {
            /**
             * @description The one agent that asks with it: then its name is proven.
             * @default null
             */
            agent?: string | null;
            /**
             * Format: uint32
             * @description How many days it counts; without it, until it is revoked.
             * @default null
             */
            expiresInDays?: number | null;
            /** @description What people will call it: characters that show themselves. */
            name: string;
            /** @description What it may do. */
            role: components["schemas"]["Role"];
            /**
             * @description The workspace roots its calls may belong to, of those that are registered; empty: any.
             * @default []
             */
            roots?: string[];
            /**
             * @description It belongs to a host application whose word about the MCP server of a call can be taken.
             * @default false
             */
            vouches?: boolean;
        };
        /** @description Nothing more to say. */
        Nothing: Record<string, never>;
        /** @description What a token's holder wants to be notified of. */
        Notifications: {
            /** @description Notifications of the system. */
            desktop: boolean;
            /** @description Only questions about calls that want at least this much care. */
            minimumDanger: components["schemas"]["DangerLevel"];
            /** @description When to be quiet. */
            quietHours?: components["schemas"]["QuietHours"];
            /** @description With a sound. */
            sound: boolean;
        };
        /** @description What a token's holder wants to be notified of. */
        NotificationsInput: {
            /** @description Notifications of the system. */
            desktop: boolean;
            /** @description Only questions about calls that want at least this much care. */
            minimumDanger: components["schemas"]["DangerLevel"];
            /** @description When to be quiet. */
            quietHours?: components["schemas"]["QuietHours"] | null;
            /** @description With a sound. */
            sound: boolean;
        };
        /** @description What happens when nobody answers in time. */
        OnTimeout: "deny" | "park";
        /** @description What became of a rule. */
        Outcome: "decided" | "limited" | "outranked" | "not_evaluated" | "unproven" | "cannot_loosen" | "expired";
        /** @description How questions ended. */
        Outcomes: {
            /**
             * Format: uint64
             * @description The asker went away.
             */
            aborted: number;
            /**
             * Format: uint64
             * @description Yes.
             */
            approved: number;
            /**
             * Format: uint64
             * @description No.
             */
            denied: number;
            /**
             * Format: uint64
             * @description Nobody answered in time.
             */
            expired: number;
        };
        /**
         * @description A question as its asker sees it: what it said itself, and what became of it. What was looked up for people to see, the
         *     contents of files for one, is not for whoever asks.
         */
        OwnQuestion: {
            /**
             * Format: date-time
             * @description When it was asked.
             */
            askedAt: string;
            /** @description The conversation. */
            conversationId: string | null;
            /** @description What an answer binds to. */
            digest: components["schemas"]["Digest"];
            /**
             * Format: date-time
             * @description When it expires; none: it does not.
             */
            expiresAt?: string;
            /** @description Its id. */
            id: components["schemas"]["ApprovalId"];
            /** @description The tool's input, as it was asked. */
            input: unknown;
            /** @description What became of it. */
            outcome?: components["schemas"]["QuestionOutcome"];
            /** @description Where it stands. */
            state: components["schemas"]["QuestionState"];
            /** @description The tool. */
            toolName: string;
            /** @description The call's own id. */
            toolUseId?: string;
            /** @description The label of the workspace. */
            workspaceId: string | null;
        };
        /** @description One part of a shell text: a command, a redirect, an assignment, or something that cannot be known. */
        Part: {
            cited?: components["schemas"]["CitedRule"];
            danger?: components["schemas"]["Danger"];
            decision: components["schemas"]["Decision"];
            kind: components["schemas"]["PartKind"];
            parts?: components["schemas"]["Part"][];
            /** @default  */
            reason: string;
            span?: [
                number,
                number
            ];
            text: string;
        } & ({
            /** @constant */
            code: "rule";
            /**
             * Format: uint
             * @description Position in [`Verdict::rules`](crate::Verdict::rules).
             */
            rule: number;
        } | {
            /** @constant */
            code: "no_rule";
        } | {
            /** @constant */
            code: "not_evaluated";
            /**
             * Format: uint
             * @description Position in [`Verdict::rules`](crate::Verdict::rules).
             */
            rule: number;
        } | {
            /** @constant */
            code: "protected_path";
            /** @description The path. */
            path: string;
            /** @description The entry of the list of protected paths. */
            pattern: string;
        } | {
            /** @constant */
            code: "protected_among";
            /** @description The file. */
            path: string;
            /** @description The entry of the list of protected paths. */
            pattern: string;
        } | {
            /** @constant */
            code: "too_many_files";
            /** @description Where. */
            path: string;
        } | {
            /** @constant */
            code: "path_unknown";
        } | {
            /** @constant */
            code: "field_missing";
            /** @description The field, as a JSON pointer. */
            field: string;
        } | {
            /** @constant */
            code: "field_unreadable";
            /** @description The field, as a JSON pointer. */
            field: string;
        } | {
            /** @constant */
            code: "work_limit";
        } | {
            /** @constant */
            code: "shell_unread";
        } | {
            /** @constant */
            code: "opaque";
            /** @description Why. */
            opaque: string;
        } | {
            /** @constant */
            code: "redirect";
            /** @description As written. */
            word: string;
        } | {
            /** @constant */
            code: "assignment";
            /** @description The variable. */
            name: string;
        } | {
            /** @constant */
            code: "expansion";
            /** @description As written. */
            word: string;
        } | {
            /** @constant */
            code: "obstacle";
            /** @description Why. Absent in what was kept before there were details. */
            detail?: components["schemas"]["ReasonDetail"];
            /** @description What the detail names: a program, an option. */
            name?: string;
            /** @description Why, for people. What it says may change; programs read the detail. */
            why: string;
            /** @description As written. */
            word: string;
        } | {
            /** @constant */
            code: "may_be_option";
            /** @description As written. */
            word: string;
        } | {
            /** @constant */
            code: "changes_shell";
            /** @description The command. */
            program: string;
        } | {
            /** @constant */
            code: "program_text";
            /** @description The program. */
            program: string;
        } | {
            /** @constant */
            code: "walks_home";
            /** @description From where. */
            path: string;
        } | {
            /** @constant */
            code: "outside_workspace";
            /** @description The path. */
            path: string;
        } | {
            /** @constant */
            code: "repository_runs";
            /** @description Where. */
            directory: string;
            /** @description The setting. */
            what: string;
        } | {
            /** @constant */
            code: "repository_unproven";
            /** @description Where git would run. */
            directory: string;
            /** @description The file or directory. */
            file: string;
            /** @description The setting, where it is one. */
            key?: string;
            /** @description What is the matter. */
            problem: components["schemas"]["RepositoryProblem"];
        } | {
            /** @constant */
            code: "tracked_links";
            /** @description Where git would run. */
            directory: string;
        } | {
            /** @constant */
            code: "repository_unknown";
        } | {
            /** @constant */
            code: "runs_unknown";
            /** @description Why. Absent in what was kept before there were details. */
            detail?: components["schemas"]["ReasonDetail"];
            /** @description What the detail names: a program, an option. */
            name?: string;
            /** @description Why, for people. What it says may change; programs read the detail. */
            why: string;
        } | {
            /** @constant */
            code: "too_much";
        } | {
            /** @constant */
            code: "nobody_can_confirm";
        } | {
            /** @constant */
            code: "config_broken";
            /** @description What is wrong with it. */
            error: string;
            /** @description Its layer. */
            layer: components["schemas"]["LayerKind"];
        });
        /**
         * @description What another part of the program tells of: `type` is the kind of its row in the record, such as `agent.run_started`.
         *     Whoever does not know it passes over it.
         */
        PartEvent: {
            /** @description The body of the row, as its schema at `GET /api/audit/kinds` says. */
            data: unknown;
            /** @description The kind. */
            type: components["schemas"]["RecordKind"];
        };
        /** @description What a [`Part`] is. */
        PartKind: "command" | "redirect" | "assignment" | "opaque";
        /** @description What is done to a path. */
        PathAccess: "read" | "search" | "delete" | "edit" | "write";
        /** @description What a caller is told, in the form of the Claude Agent SDK's `canUseTool`. */
        Permission: {
            /** @constant */
            behavior: "allow";
            /** @description The run of the tool; `POST /api/executions/{id}` tells how it ended. */
            executionId: components["schemas"]["ExecutionId"];
            /** @description The input to run with, where a human changed it. */
            updatedInput?: unknown;
        } | {
            /** @constant */
            behavior: "deny";
            /** @description Which kind of refusal it is. */
            code: components["schemas"]["RefusalCode"];
            /** @description What is special about this one, where something is. */
            detail?: string;
            /** @description Stop the run as well. */
            interrupt?: boolean;
            /** @description Why, for the model. */
            message: string;
        };
        /** @description A registered project and its file. */
        Project: {
            /**
             * Format: uint
             * @description How many of its rules allow something; without trust they do not count.
             */
            allows?: number;
            /** @description What changed since it was last trusted, line by line. */
            diff?: string;
            /** @description Its file. */
            path: string;
            /** @description Why it does not load, or cannot be trusted here. */
            problem?: string;
            /** @description Its root. */
            root: string;
            /** @description SHA-256 of the bytes that were read. */
            sha256?: string;
            /** @description How the file stands to what was trusted. */
            state: components["schemas"]["ProjectState"];
            /** @description What it says. */
            text?: string;
            /**
             * Format: date-time
             * @description When it was last trusted.
             */
            trustedAt?: string;
            /** @description By whom. */
            trustedBy?: string;
        };
        /** @description The registered projects. */
        ProjectList: {
            /** @description Each with its file. */
            projects: components["schemas"]["Project"][];
        };
        /** @description How a project file stands to what was trusted. */
        ProjectState: "trusted" | "changed" | "never" | "absent" | "broken";
        /** @description Rules that would settle the question from now on. */
        Proposal: {
            /** @description What they would also allow, in plain words. */
            also: string;
            /** @description The same as codes; empty in what was kept before there were codes. */
            alsoCodes?: components["schemas"]["AlsoAllowed"][];
            /** @description The rules; a compound command needs one for each part. */
            rules: components["schemas"]["RuleFields"][];
        };
        /** @description A question put to humans, and what became of it. */
        Question: {
            /** @description The agent. */
            agentId?: string;
            /**
             * Format: date-time
             * @description When it was asked.
             */
            askedAt: string;
            /** @description The credential that asked. */
            askedBy: string;
            /** @description What people call that credential: the name of its token. */
            askedByName?: string;
            /** @description The conversation; null where the asker named none. */
            conversationId: string | null;
            /** @description The directory it would run in. */
            cwd?: string;
            /** @description What the tool is said to do, and who says so. */
            descriptor?: components["schemas"]["Described"];
            /** @description What an answer binds to. */
            digest: components["schemas"]["Digest"];
            /**
             * Format: date-time
             * @description When it expires; none: it does not.
             */
            expiresAt?: string;
            /** @description Its id. */
            id: components["schemas"]["ApprovalId"];
            /** @description The tool's input, as the agent wrote it. */
            input: unknown;
            /** @description What happens when nobody answers. */
            onTimeout: components["schemas"]["OnTimeout"];
            /** @description What became of it. */
            outcome?: components["schemas"]["QuestionOutcome"];
            /** @description The rules that remembering would write, narrowest first. */
            proposals: components["schemas"]["Proposal"][];
            /** @description The workspace root it belongs to. */
            root?: string;
            /** @description The run. */
            runId?: string;
            /** @description The MCP server the tool belongs to. */
            serverId?: string;
            /** @description What a person sees. */
            shown: components["schemas"]["Shown"];
            /** @description Where it stands. */
            state: components["schemas"]["QuestionState"];
            /** @description The tool. */
            toolName: string;
            /** @description The call's own id. */
            toolUseId?: string;
            /**
             * @description The verdict that made it a question. Of more than 2000 parts it holds the gravest; what it decides, its reasons and
             *     its danger are those of the whole.
             */
            verdict: components["schemas"]["Verdict"];
            /** @description The label of the workspace; null where the asker named none. Clients of old count on the key being there. */
            workspaceId: string | null;
        };
        /** @description How a question ended. */
        QuestionOutcome: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description Who or what ended it, as people read it. */
            by: string;
            /** @description Which kind of refusal it is, where it is one. */
            code?: components["schemas"]["RefusalCode"];
            /** @description What is special about the refusal: the words of whoever called the question off. */
            detail?: string;
            /** @description The way the answer came: `web`, `terminal`, `api`, …; none where no person answered. */
            how?: string;
            /** @description The run was to stop as well. */
            interrupt?: boolean;
            /** @description Why. */
            message?: string;
            /** @description Its asker has taken the answer. */
            taken: boolean;
            /** @description The input that was put in the place of the asked one. */
            updatedInput?: unknown;
        };
        /** @description A page of questions. */
        Questions: {
            /** @description The questions, newest first. */
            approvals: components["schemas"]["SeenQuestion"][];
            /** @description Where the next page begins; none: this is the last. */
            next?: components["schemas"]["ApprovalId"];
        };
        /** @description Where a question stands. */
        QuestionState: "pending" | "approved" | "denied" | "expired" | "aborted";
        /** @description A part of each day; one that ends before it begins goes over midnight. */
        QuietHours: {
            /** @description From this time on: `22:00`. */
            from: string;
            /** @description Where the clock hangs, by its IANA name: `Europe/Vienna`. */
            timeZone: string;
            /** @description Until this time: `07:00`. */
            to: string;
        };
        /**
         * @description Why a decision was made. On the wire of a [`Part`](crate::Part) its fields stand among the part's own, so none may be
         *     called like one of those. Rules are named by their position in [`Verdict::rules`](crate::Verdict::rules).
         */
        Reason: {
            /** @constant */
            code: "rule";
            /**
             * Format: uint
             * @description Position in [`Verdict::rules`](crate::Verdict::rules).
             */
            rule: number;
        } | {
            /** @constant */
            code: "no_rule";
        } | {
            /** @constant */
            code: "not_evaluated";
            /**
             * Format: uint
             * @description Position in [`Verdict::rules`](crate::Verdict::rules).
             */
            rule: number;
        } | {
            /** @constant */
            code: "protected_path";
            /** @description The path. */
            path: string;
            /** @description The entry of the list of protected paths. */
            pattern: string;
        } | {
            /** @constant */
            code: "protected_among";
            /** @description The file. */
            path: string;
            /** @description The entry of the list of protected paths. */
            pattern: string;
        } | {
            /** @constant */
            code: "too_many_files";
            /** @description Where. */
            path: string;
        } | {
            /** @constant */
            code: "path_unknown";
        } | {
            /** @constant */
            code: "field_missing";
            /** @description The field, as a JSON pointer. */
            field: string;
        } | {
            /** @constant */
            code: "field_unreadable";
            /** @description The field, as a JSON pointer. */
            field: string;
        } | {
            /** @constant */
            code: "work_limit";
        } | {
            /** @constant */
            code: "shell_unread";
        } | {
            /** @constant */
            code: "opaque";
            /** @description Why. */
            opaque: string;
        } | {
            /** @constant */
            code: "redirect";
            /** @description As written. */
            word: string;
        } | {
            /** @constant */
            code: "assignment";
            /** @description The variable. */
            name: string;
        } | {
            /** @constant */
            code: "expansion";
            /** @description As written. */
            word: string;
        } | {
            /** @constant */
            code: "obstacle";
            /** @description Why. Absent in what was kept before there were details. */
            detail?: components["schemas"]["ReasonDetail"];
            /** @description What the detail names: a program, an option. */
            name?: string;
            /** @description Why, for people. What it says may change; programs read the detail. */
            why: string;
            /** @description As written. */
            word: string;
        } | {
            /** @constant */
            code: "may_be_option";
            /** @description As written. */
            word: string;
        } | {
            /** @constant */
            code: "changes_shell";
            /** @description The command. */
            program: string;
        } | {
            /** @constant */
            code: "program_text";
            /** @description The program. */
            program: string;
        } | {
            /** @constant */
            code: "walks_home";
            /** @description From where. */
            path: string;
        } | {
            /** @constant */
            code: "outside_workspace";
            /** @description The path. */
            path: string;
        } | {
            /** @constant */
            code: "repository_runs";
            /** @description Where. */
            directory: string;
            /** @description The setting. */
            what: string;
        } | {
            /** @constant */
            code: "repository_unproven";
            /** @description Where git would run. */
            directory: string;
            /** @description The file or directory. */
            file: string;
            /** @description The setting, where it is one. */
            key?: string;
            /** @description What is the matter. */
            problem: components["schemas"]["RepositoryProblem"];
        } | {
            /** @constant */
            code: "tracked_links";
            /** @description Where git would run. */
            directory: string;
        } | {
            /** @constant */
            code: "repository_unknown";
        } | {
            /** @constant */
            code: "runs_unknown";
            /** @description Why. Absent in what was kept before there were details. */
            detail?: components["schemas"]["ReasonDetail"];
            /** @description What the detail names: a program, an option. */
            name?: string;
            /** @description Why, for people. What it says may change; programs read the detail. */
            why: string;
        } | {
            /** @constant */
            code: "too_much";
        } | {
            /** @constant */
            code: "nobody_can_confirm";
        } | {
            /** @constant */
            code: "config_broken";
            /** @description What is wrong with it. */
            error: string;
            /** @description Its layer. */
            layer: components["schemas"]["LayerKind"];
        };
        /**
         * @description Why it is not known that a command is harmless, or what it runs.
         * @enum {string}
         */
        ReasonDetail: "no_program" | "computed_program" | "program_elsewhere" | "unknown_program" | "not_listed" | "no_harmless_use" | "no_harmless_subcommand" | "other_directory" | "needs_option" | "operand_needs_option" | "too_many_operands" | "may_become_too_many" | "operand_prefix" | "sets_other_variable" | "unknown_option" | "unproven_option" | "option_takes_no_value" | "may_be_option" | "computed_value" | "reads_standard_input" | "unproven_value" | "git_format" | "git_sort" | "not_a_setting" | "waits_long" | "jq_program" | "git_setting" | "sed_script" | "printf_format" | "computed_replacement" | "no_closing_bracket" | "may_change_test" | "not_a_simple_test" | "find_computed_word" | "find_option" | "find_computed_command" | "find_executes" | "name_splits" | "computed_path" | "changes_meaning" | "leaves_sandbox" | "second_directory" | "unknown_directory_field" | "uncertain_start" | "computed_end" | "no_command" | "setting_may_run" | "options_unknown" | "options_contradict" | "runs_command_file" | "built_from_parts" | "option_runs" | "sed_runs" | "runs_input" | "computed_text" | "other_shell";
        /** @description What kind of thing happened: one of the gate's own kinds, or `area.kind` of another part. */
        RecordKind: "verdict" | "question" | "outcome" | "claim" | "execution" | "rules" | "trust" | "token" | "upkeep" | "checkpoint" | string;
        /** @description What a line of the record says. */
        RecordLine: {
            /** @constant */
            code: "too_large";
        } | {
            /** @description Who answered. */
            by: string;
            /** @constant */
            code: "approved";
        } | {
            /** @description Who answered. */
            by: string;
            /** @constant */
            code: "denied";
        } | {
            /** @constant */
            code: "expired";
        } | {
            /** @constant */
            code: "caller_left";
        } | {
            /** @constant */
            code: "called_off";
            /** @description Why, in the words of whoever did. */
            why: string;
        } | {
            /** @constant */
            code: "let_through";
        } | {
            /** @constant */
            code: "told";
        } | {
            /** @constant */
            code: "turned_back";
            /** @description Why, for people. */
            why: string;
        } | {
            /** @constant */
            code: "finished";
        } | {
            /** @constant */
            code: "failed";
        } | {
            /** @description By whom. */
            by: string;
            /** @constant */
            code: "rule_added";
            /** @description What it does. */
            effect: components["schemas"]["Effect"];
            /**
             * Format: uuid
             * @description Which.
             */
            id: string;
        } | {
            /** @description By whom. */
            by: string;
            /** @constant */
            code: "rule_changed";
            /** @description What it does. */
            effect: components["schemas"]["Effect"];
            /**
             * Format: uuid
             * @description Which.
             */
            id: string;
        } | {
            /** @description By whom. */
            by: string;
            /** @constant */
            code: "rule_removed";
            /** @description What it did. */
            effect: components["schemas"]["Effect"];
            /**
             * Format: uuid
             * @description Which.
             */
            id: string;
        } | {
            /** @description By whom. */
            by: string;
            /** @constant */
            code: "file_rule_changed";
            /** @description What it does now. */
            effect: components["schemas"]["Effect"];
            /** @description The file. */
            file: string;
            /**
             * Format: uint32
             * @description The line it began at.
             */
            line: number;
        } | {
            /** @description By whom. */
            by: string;
            /** @constant */
            code: "file_rule_removed";
            /** @description What it did. */
            effect: components["schemas"]["Effect"];
            /** @description The file. */
            file: string;
            /**
             * Format: uint32
             * @description The line it began at.
             */
            line: number;
        } | {
            /** @description By whom. */
            by: string;
            /** @constant */
            code: "remembered";
            /** @description What the rule does. */
            effect: components["schemas"]["Effect"];
            /** @description Where it holds. */
            scope: components["schemas"]["Scope"];
        } | {
            /** @constant */
            code: "policy_file_changed";
        } | {
            /** @description By whom. */
            by: string;
            /** @constant */
            code: "trusted";
            /** @description The file. */
            path: string;
        } | {
            /** @constant */
            code: "trust_failed";
            /** @description What went wrong, for people. */
            error: string;
            /** @description The file. */
            path: string;
        } | {
            /** @description By whom. */
            by: string;
            /** @constant */
            code: "trust_revoked";
            /** @description The file. */
            path: string;
        } | {
            /** @constant */
            code: "token_made";
            /** @description Its name. */
            name: string;
        } | {
            /** @constant */
            code: "token_revoked";
            /** @description Its name. */
            name: string;
        } | {
            /** @constant */
            code: "signed_in";
            /** @description Its name. */
            name: string;
        } | {
            /** @constant */
            code: "signed_out";
            /** @description Its name. */
            name: string;
        } | {
            /** @constant */
            code: "link_made";
            /** @description The name of the token it makes. */
            name: string;
            /** @description The role of that token. */
            role: components["schemas"]["Role"];
        } | {
            /**
             * Format: date-time
             * @description Of calls that ended before this moment.
             */
            before: string;
            /** @constant */
            code: "inputs_forgotten";
            /**
             * Format: uint64
             * @description How many, where that is known.
             */
            inputs?: number;
        } | {
            /**
             * Format: date-time
             * @description Rows from before this moment.
             */
            before: string;
            /** @constant */
            code: "rows_removed";
        } | {
            /** @constant */
            code: "key_added";
            /**
             * Format: uint32
             * @description Its number.
             */
            key: number;
        } | {
            /** @constant */
            code: "spool_unread";
        } | {
            /**
             * Format: uint
             * @description How many chains there are.
             */
            chains: number;
            /** @constant */
            code: "checkpoint";
        };
        /** @description The kinds of refusal. */
        RefusalCode: "denied" | "denied_by_rule" | "expired" | "aborted" | "nobody_can_answer" | "not_recorded" | "config_broken" | "input_not_exact" | "other_input" | "already_taken" | "no_call_id" | "no_room" | "closing";
        /** @description What to remember. */
        RememberBody: boolean | components["schemas"]["RememberRules"];
        /** @description What was remembered, or why not. The answer stands either way. */
        RememberedBody: {
            /** @description What changed in a project file that was not written to, since it is not what a human trusted. */
            diff?: string;
            /** @description Why they apply in the session only, or why nothing was kept. */
            message?: string;
            /** @description The rules as they are kept. */
            rules: components["schemas"]["RuleFields"][];
            /** @description Where the rules apply; not always where they were meant for. None: nothing was kept. */
            scope?: components["schemas"]["Scope"];
        };
        /** @description Where to remember, and which rules. */
        RememberRules: {
            /**
             * @description The rules, as proposed or as edited. None: the narrowest that were proposed.
             * @default []
             */
            rules?: components["schemas"]["RuleFieldsInput"][];
            /** @description Where they apply. */
            scope: components["schemas"]["Scope"];
        };
        /** @description What a git repository can do to whoever runs git in it. */
        Repository: "plain" | {
            names_programs: {
                /** @description The setting. */
                what: string;
            };
        } | {
            unproven: {
                /** @description What was found, at least one. */
                findings: components["schemas"]["RepositoryFinding"][];
            };
        };
        /** @description One thing about a git repository that is not known to be harmless to a command that reads it. */
        RepositoryFinding: {
            /** @description The file or directory, absolute. */
            file: string;
            /** @description The setting, as `section.subsection.key`, where it is one. */
            key?: string;
            /** @description What is the matter with it. */
            problem: components["schemas"]["RepositoryProblem"];
            /** @description It is in a submodule, which git reads in a process of its own: options of the command do not reach there. */
            submodule?: boolean;
        };
        /** @description What can be the matter with a git repository. */
        RepositoryProblem: "setting" | "hook" | "unreadable" | "looks_bare" | "not_repository" | "redirect" | "link" | "alternates" | "index" | "user_include" | "credential" | "absent" | "too_much";
        /** @description A question that ended. */
        Resolved: {
            /** @description Which. */
            id: components["schemas"]["ApprovalId"];
            /** @description Who ended it, and with which words. */
            outcome?: components["schemas"]["QuestionOutcome"];
            /** @description How; never `pending`. */
            state: components["schemas"]["QuestionState"];
            /** @description The tool. */
            toolName?: string;
        };
        /** @description What a credential may do, from least to most. */
        Role: "agent" | "viewer" | "approver" | "admin";
        /** @description The same for those who write the schema: a flattened struct cannot refuse what it does not know, so reading is by hand. */
        RuleBody: {
            /** @description Exact agent id; absent: any. */
            agent?: string | null;
            /**
             * @description `true`: allow; `false`: confirm, or deny where `effect` says so.
             * @default null
             */
            autoApprove?: boolean | null;
            /** @description Shell tools: the leading words of a command, such as `git push`. */
            command?: string | null;
            /** @description Shell tools: `*` is any text, `?` one character. With `command`: both must match. */
            commandGlob?: string | null;
            /**
             * @description What it does. This or `autoApprove` has to be there.
             * @default null
             */
            effect?: components["schemas"]["Effect"] | null;
            /** @description Calls the rule must and must not match. */
            examples?: components["schemas"]["RuleExamplesInput"] | null;
            /**
             * Format: date-time
             * @description The rule counts until this moment.
             */
            expiresAt?: string | null;
            /** @description Web tools: a host, or `*.suffix`. */
            host?: string | null;
            /** @description Why the rule is there. A deny tells it to the model. */
            note?: string | null;
            /** @description Confirm rules: what happens when nobody answers in time. */
            onTimeout?: components["schemas"]["OnTimeout"] | null;
            /** @description File tools: a gitignore-style glob over the absolute path. */
            path?: string | null;
            /**
             * Format: int32
             * @description Higher wins; 0 unless told. A deny wins at any priority.
             */
            priority?: number | null;
            /**
             * @description The fields of the rule, where they do not stand beside it.
             * @default null
             */
            rule?: components["schemas"]["RuleFieldsInput"] | null;
            /** @description Exact id of an MCP server; absent: any. */
            server?: string | null;
            /** @description Another name for `server`. */
            serverId?: string | null;
            /** @description `skill_load` only: exact name of the skill. */
            skillName?: string | null;
            /**
             * Format: uint32
             * @description Confirm rules: seconds to wait for an answer; 120 unless told.
             */
            timeoutS?: number | null;
            /** @description Exact tool name. A canonical name (`bash`, `read`, …) also matches what known agents call that tool. */
            tool?: string | null;
            /** @description Another name for `tool`. */
            toolName?: string | null;
            /** @description `*` wildcard over the whole tool name, ignoring case. With `tool`: either may match. */
            toolPattern?: string | null;
            /** @description Whole-tool allow of a shell tool: drops the limits on shell text. */
            unrestricted?: boolean | null;
        };
        /** @description A rule's own tests. */
        RuleExamples: {
            /** @description Calls the rule must match. */
            match?: components["schemas"]["Example"][];
            /** @description Calls the rule must not match. */
            notMatch?: components["schemas"]["Example"][];
        };
        /** @description A rule's own tests. */
        RuleExamplesInput: {
            /** @description Calls the rule must match. */
            match?: components["schemas"]["ExampleInput"][];
            /** @description Calls the rule must not match. */
            notMatch?: components["schemas"]["ExampleInput"][];
        };
        /** @description What a rule matches, and what goes with it. `null` means absent. */
        RuleFields: {
            /** @description Exact agent id; absent: any. */
            agent?: string;
            /** @description Shell tools: the leading words of a command, such as `git push`. */
            command?: string;
            /** @description Shell tools: `*` is any text, `?` one character. With `command`: both must match. */
            commandGlob?: string;
            /** @description Calls the rule must and must not match. */
            examples?: components["schemas"]["RuleExamples"];
            /**
             * Format: date-time
             * @description The rule counts until this moment.
             */
            expiresAt?: string;
            /** @description Web tools: a host, or `*.suffix`. */
            host?: string;
            /** @description Why the rule is there. A deny tells it to the model. */
            note?: string;
            /** @description Confirm rules: what happens when nobody answers in time. */
            onTimeout?: components["schemas"]["OnTimeout"];
            /** @description File tools: a gitignore-style glob over the absolute path. */
            path?: string;
            /**
             * Format: int32
             * @description Higher wins; 0 unless told. A deny wins at any priority.
             */
            priority?: number;
            /** @description Exact id of an MCP server; absent: any. */
            server?: string;
            /** @description Another name for `server`. */
            serverId?: string;
            /** @description `skill_load` only: exact name of the skill. */
            skillName?: string;
            /**
             * Format: uint32
             * @description Confirm rules: seconds to wait for an answer; 120 unless told.
             */
            timeoutS?: number;
            /** @description Exact tool name. A canonical name (`bash`, `read`, …) also matches what known agents call that tool. */
            tool?: string;
            /** @description Another name for `tool`. */
            toolName?: string;
            /** @description `*` wildcard over the whole tool name, ignoring case. With `tool`: either may match. */
            toolPattern?: string;
            /** @description Whole-tool allow of a shell tool: drops the limits on shell text. */
            unrestricted?: boolean;
        };
        /** @description What a rule matches, and what goes with it. `null` means absent. */
        RuleFieldsInput: {
            /** @description Exact agent id; absent: any. */
            agent?: string | null;
            /** @description Shell tools: the leading words of a command, such as `git push`. */
            command?: string | null;
            /** @description Shell tools: `*` is any text, `?` one character. With `command`: both must match. */
            commandGlob?: string | null;
            /** @description Calls the rule must and must not match. */
            examples?: components["schemas"]["RuleExamplesInput"] | null;
            /**
             * Format: date-time
             * @description The rule counts until this moment.
             */
            expiresAt?: string | null;
            /** @description Web tools: a host, or `*.suffix`. */
            host?: string | null;
            /** @description Why the rule is there. A deny tells it to the model. */
            note?: string | null;
            /** @description Confirm rules: what happens when nobody answers in time. */
            onTimeout?: components["schemas"]["OnTimeout"] | null;
            /** @description File tools: a gitignore-style glob over the absolute path. */
            path?: string | null;
            /**
             * Format: int32
             * @description Higher wins; 0 unless told. A deny wins at any priority.
             */
            priority?: number | null;
            /** @description Exact id of an MCP server; absent: any. */
            server?: string | null;
            /** @description Another name for `server`. */
            serverId?: string | null;
            /** @description `skill_load` only: exact name of the skill. */
            skillName?: string | null;
            /**
             * Format: uint32
             * @description Confirm rules: seconds to wait for an answer; 120 unless told.
             */
            timeoutS?: number | null;
            /** @description Exact tool name. A canonical name (`bash`, `read`, …) also matches what known agents call that tool. */
            tool?: string | null;
            /** @description Another name for `tool`. */
            toolName?: string | null;
            /** @description `*` wildcard over the whole tool name, ignoring case. With `tool`: either may match. */
            toolPattern?: string | null;
            /** @description Whole-tool allow of a shell tool: drops the limits on shell text. */
            unrestricted?: boolean | null;
        };
        /** @description A rule, where it stands, and how often it decided. */
        RuleItem: {
            /** @description Whether what it matches runs without a question. */
            autoApprove: boolean;
            /**
             * Format: date-time
             * @description When it was made.
             */
            createdAt?: string;
            /** @description By whom it was made. */
            createdBy?: string;
            /** @description Whether it can be changed over the API. */
            editable: boolean;
            /** @description What it does. */
            effect: components["schemas"]["Effect"];
            /** @description Its time is over. */
            expired?: boolean;
            /** @description The file it stands in. */
            file?: string;
            /**
             * Format: uint64
             * @description How many calls of the last seven days it decided, or helped to decide.
             */
            hits: number;
            /** @description A kept rule's UUID; for others the one written with the rule, or a name made of its place and text. */
            id: string;
            /**
             * Format: date-time
             * @description When it last did.
             */
            lastHit?: string;
            /**
             * Format: uint32
             * @description The line it begins at.
             */
            line?: number;
            /**
             * Format: int32
             * @description Higher wins.
             */
            priority: number;
            /** @description What it matches. */
            rule: components["schemas"]["RuleFields"];
            /** @description The MCP server; null: any. */
            serverId: string | null;
            /** @description The one session it is for. */
            session?: components["schemas"]["RuleSession"];
            /** @description Where it comes from. */
            source: components["schemas"]["RuleSource"];
            /** @description Whether it counts. */
            standing: components["schemas"]["RuleStanding"];
            /** @description The exact tool; null: the pattern says, or any. */
            toolName: string | null;
            /** @description The wildcard pattern. */
            toolPattern: string | null;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updatedAt?: string;
        };
        /** @description All rules. */
        RuleList: {
            /**
             * Format: uint64
             * @description Grows whenever rules change.
             */
            generation: number;
            /** @description What does not load. */
            problems: components["schemas"]["RuleProblem"][];
            /** @description The rules, by layer. */
            rules: components["schemas"]["RuleItem"][];
        };
        /** @description Something wrong with a layer: a file that does not load, a kept rule that does not hold. */
        RuleProblem: {
            /** @description The file, or another name for the place. */
            file: string;
            /** @description What is wrong, and the way out. */
            message: string;
            /** @description Which layer. */
            source: components["schemas"]["RuleSource"];
        };
        /** @description The session a rule is remembered for. */
        RuleSession: {
            /** @description The agent. */
            agentId?: string;
            /** @description The asking credential. */
            credential: string;
            /** @description The run or conversation. */
            scope: string;
        };
        /** @description Where a rule comes from. */
        RuleSource: "built-in" | "managed" | "global" | "project" | "database" | "session";
        /** @description Whether a rule counts. Denies and confirms of project files always do. */
        RuleStanding: "counts" | "not_trusted" | "only_tightens" | "broken";
        /** @description Rules to try on the past: one, or several that are kept together. */
        RuleTrial: {
            /**
             * @description `true`: allow; `false`: confirm, or deny where `effect` says so.
             * @default null
             */
            autoApprove?: boolean | null;
            /** @description A call to judge by the rules as they would be, beside those of the past. */
            call?: components["schemas"]["Decide"] | null;
            /**
             * @description What they would do. This or `autoApprove` has to be there.
             * @default null
             */
            effect?: components["schemas"]["Effect"] | null;
            /**
             * Format: uint
             * @description On how many calls to try, the newest; 500 unless told.
             * @default null
             */
            limit?: number | null;
            /**
             * Format: uuid
             * @description The kept rule that `rule` would be put in the place of.
             * @default null
             */
            replaces?: string | null;
            /**
             * @description The rule. Either this or `rules` has to be there.
             * @default null
             */
            rule?: components["schemas"]["RuleFieldsInput"] | null;
            /**
             * @description Rules that would be kept together, as a proposal for a compound command has them.
             * @default null
             */
            rules?: components["schemas"]["RuleFieldsInput"][] | null;
            /**
             * Format: date-time
             * @description On no call before this moment.
             * @default null
             */
            since?: string | null;
        };
        /** @description What rules would have done. */
        RuleTried: {
            /**
             * @description What the verdict on `call` would be with the rules. A rule that is tried is cited by the id of the one it replaces,
             *     or else by its number among them as a UUID, from 0.
             */
            call?: components["schemas"]["Decided"];
            /** @description Calls that would be decided otherwise, newest first; 200 at most. */
            changed: components["schemas"]["ChangedCall"][];
            /**
             * Format: uint
             * @description How many there are of them.
             */
            changedTotal: number;
            /** @description All that were tried, by what is decided without the rules and with them. */
            counts: components["schemas"]["ChangeCount"][];
            /**
             * Format: uint
             * @description How many of them a rule matches.
             */
            matched: number;
            /** @description The latest of these, whether they would be decided otherwise or not; 50 at most. */
            matches: components["schemas"]["ChangedCall"][];
            /**
             * Format: uint
             * @description How many past calls were judged, with the rules and without.
             */
            tried: number;
        };
        /** @description Where a remembered rule applies. */
        Scope: "session" | "project" | "global";
        /** @description A question, as far as whoever looks at it may see it. */
        SeenQuestion: components["schemas"]["Question"] | components["schemas"]["OwnQuestion"];
        /** @description Who somebody is, and what this server is like. */
        SessionBody: {
            /** @description The address people open, which links begin with; not for agents. */
            address?: string;
            /** @description Whether people are asked at all. */
            asks: boolean;
            /**
             * Format: date-time
             * @description It is known until this moment.
             */
            expiresAt?: string;
            /** @description The id of its token, where it has one. */
            id?: components["schemas"]["TokenId"];
            /** @description How it is known. */
            kind: components["schemas"]["SessionKind"];
            /** @description What people call it. */
            name: string;
            /** @description The registered projects; not for agents. */
            projects?: string[];
            /** @description What it may do. */
            role: components["schemas"]["Role"];
            /** @description The server's version. */
            version: string;
            /** @description The same as codes, one for each sentence; not for agents. */
            warningCodes?: components["schemas"]["Warning"][];
            /** @description What is unsafe about this configuration; not for agents. */
            warnings?: string[];
        };
        /** @description How somebody is known. */
        SessionKind: "api" | "device" | "socket";
        /** @description A call as it is shown. */
        Shown: {
            /** @description What the input says besides what the form shows. To be shown beside it. */
            besides?: components["schemas"]["FieldBeside"][];
            /** @description How much care it wants, and why. */
            danger: components["schemas"]["Danger"];
            /**
             * @description Where a command would start, if its input names another directory than the call's `cwd`; empty where that cannot be
             *     told.
             */
            directory?: string;
            /** @description The files that were read to show it, and what they are known by. */
            files?: components["schemas"]["FileMark"][];
            /** @description The form fit to the tool. */
            form: components["schemas"]["Form"];
            /** @description The characters that were written out because they hide or disguise text. */
            hidden?: components["schemas"]["HiddenCharacter"][];
            /** @description The whole input, pretty, with hidden characters made visible. */
            json: string;
            /** @description What is not shown and how much of it, one sentence each; empty where `whole` is true. To be shown beside the form. */
            leftOut?: string[];
            /** @description The same as codes, one for each sentence; empty in what was kept before there were codes. */
            leftOutCodes?: components["schemas"]["LeftOut"][];
            /** @description The tool and its main input; for commands the normalised command. */
            message: string;
            /** @description `Run command?`, `Run tool?`, … */
            title: string;
            /** @description The same as a code; none in what was kept before there were codes. */
            titleCode?: components["schemas"]["TitleCode"];
            /** @description Whether everything could be shown. What cannot be shown whole cannot be remembered. */
            whole: boolean;
            /** @description Why it was asked. */
            why: string;
        };
        /** @description Whether a row is what was signed. */
        Signature: "holds" | "changed" | "unknown_key";
        /** @description Who signed in. */
        SignedIn: {
            /** @description What the device is called. */
            name: string;
            /** @description The page's half of what the browser is known by: 32 hexadecimal digits for `X-Sekisho-Page`. It is told this once. */
            pageKey: string;
            /** @description What it may do. */
            role: components["schemas"]["Role"];
        };
        /** @description A way in. */
        SignIn: {
            /** @description What stands behind `#link=` in a link: `skl_…`. */
            link: string;
        };
        /** @description How values are spread. */
        Spread: {
            /**
             * Format: uint64
             * @description Half are below.
             */
            p50: number;
            /**
             * Format: uint64
             * @description Nine of ten are.
             */
            p90: number;
            /**
             * Format: uint64
             * @description Ninety-nine of a hundred are.
             */
            p99: number;
        };
        /** @description How things stand. */
        Standing: {
            /** @description The open questions, in the order they were asked. */
            approvals: components["schemas"]["SeenQuestion"][];
            /**
             * Format: uint64
             * @description The last event it reflects.
             */
            seq: number;
        };
        /** @description A tool that was let through. */
        Started: {
            /** @description The question that let it through, if one did. */
            approvalId?: components["schemas"]["ApprovalId"];
            /** @description Its run. */
            executionId: components["schemas"]["ExecutionId"];
            /** @description The tool. */
            toolName: string;
        };
        /** @description A span of time in numbers. */
        Stats: {
            /** @description How long people took to answer, in milliseconds. */
            answerMs: components["schemas"]["Spread"] | null;
            /** @description The same, counted: always the same bounds, from short to long. */
            answers: components["schemas"]["AnswerBucket"][];
            /** @description The tools that were asked about most, and what came of it; 20 at most. */
            asked: components["schemas"]["AskedTool"][];
            /**
             * Format: uint64
             * @description Bytes the database takes.
             */
            bytes: number;
            /** @description The shell commands that were asked about most, of the latest questions of the span; 20 at most. */
            commands: components["schemas"]["AskedCommand"][];
            /** @description By hour: what was decided, and what people answered. */
            hours: components["schemas"]["Hour"][];
            /** @description Questions that were approved, denied, that expired and were aborted. */
            outcomes: components["schemas"]["Outcomes"];
            /**
             * Format: uint64
             * @description Rows in the log.
             */
            rows: number;
        };
        /** @description Rules that people's answers speak for. */
        Suggestion: {
            /** @description What they would also cover, in plain words. */
            also: string;
            /** @description The same as codes; empty in what was kept before there were codes. */
            alsoCodes?: components["schemas"]["AlsoAllowed"][];
            /** @description What they would do. */
            effect: components["schemas"]["Effect"];
            /** @description The latest of them, ten at most. */
            evidence: components["schemas"]["Evidence"][];
            /**
             * Format: date-time
             * @description When the first was given.
             */
            firstAt: string;
            /**
             * Format: date-time
             * @description When the last was given.
             */
            lastAt: string;
            /** @description The rules. */
            rules: components["schemas"]["RuleFields"][];
            /**
             * Format: uint
             * @description How many equal answers there are, and none to the contrary.
             */
            support: number;
        };
        /** @description Rules worth having. */
        Suggestions: {
            /** @description The strongest first. */
            suggestions: components["schemas"]["Suggestion"][];
        };
        /** @description What a question asks leave for. Tools of MCP servers are always `run_tool`. */
        TitleCode: "run_command" | "read_file" | "search_files" | "write_file" | "delete_file" | "edit_file" | "change_files" | "fetch_web" | "search_web" | "load_skill" | "run_tool";
        /** @description A credential. What is kept of its secret is never told. */
        TokenBody: {
            /** @description The one agent that asks with it: then its name is proven. */
            agent?: string;
            /** @description Whether it counts now. */
            counts: boolean;
            /**
             * Format: date-time
             * @description When it was made.
             */
            createdAt: string;
            /** @description By whom. */
            createdBy: string;
            /** @description What the browser said it is when it followed its link: `Chrome on Linux`. Shown, never trusted. */
            device?: string;
            /**
             * Format: date-time
             * @description It counts until this moment.
             */
            expiresAt?: string;
            /** @description Its id; not secret. */
            id: components["schemas"]["TokenId"];
            /** @description What it is for. */
            kind: components["schemas"]["TokenKind"];
            /**
             * Format: date-time
             * @description When it was last used, to within a minute.
             */
            lastUsedAt?: string;
            /** @description What people call it. */
            name: string;
            /**
             * Format: date-time
             * @description It has not counted since this moment.
             */
            revokedAt?: string;
            /** @description What it may do. */
            role: components["schemas"]["Role"];
            /** @description The workspace roots its calls may belong to; empty: any that is registered. */
            roots: string[];
            /** @description It belongs to a host application whose word about the MCP server of a call is taken. */
            vouches: boolean;
        };
        /**
         * Format: uuid
         * @description A credential.
         */
        TokenId: string;
        /** @description What a token is for. */
        TokenKind: "api" | "device";
        /** @description All credentials. */
        TokensBody: {
            /** @description In the order they were made, those that count no more included. */
            tokens: components["schemas"]["TokenBody"][];
        };
        /**
         * @description A descriptor as it is written. Each list holds fields of the input: a name (`script`) or a JSON pointer
         *     (`/steps/*\/run`, where `*` stands for each element of a list).
         */
        ToolDescriptor: {
            /** @description Where addresses stand that are fetched. */
            addresses?: string[];
            /** @description Where commands stand: each a text, or the words of one command as a list. */
            commands?: string[];
            /** @description What the tool does. */
            kind: components["schemas"]["DescriptorKind"];
            /** @description The tool changes nothing. It lets nothing through. */
            readOnly?: boolean;
            /** @description Where paths of files stand that are read: each a text or a list of texts. */
            reads?: string[];
            /** @description Where paths of directories stand that are searched or read with everything below them. */
            searches?: string[];
            /** @description Where paths of files stand that are written, edited or deleted. */
            writes?: string[];
        };
        /** @description Trust in exactly these bytes. */
        TrustBody: {
            /** @description The project's root, as it is listed. */
            root: string;
            /** @description SHA-256 of the bytes that were read and are trusted, in hexadecimal. */
            sha256: string;
        };
        /** @description The wire form of a verdict. */
        Verdict: {
            danger: components["schemas"]["Danger"];
            decision: components["schemas"]["Decision"];
            facts?: components["schemas"]["Facts"];
            /** @description What then. */
            on_timeout?: components["schemas"]["OnTimeout"];
            /** @default [] */
            parts: components["schemas"]["Part"][];
            /** @default  */
            reason: string;
            reasons: components["schemas"]["Reason"][];
            rules: components["schemas"]["CitedRule"][];
            /**
             * Format: uint32
             * @description Seconds.
             */
            timeout_s?: number;
        };
        /** @description What is unsafe about a configuration. */
        Warning: {
            /** @constant */
            code: "questions_off";
        } | {
            /** @description Where it listens. */
            address: string;
            /** @constant */
            code: "no_tls";
        } | {
            /** @constant */
            code: "no_approvers";
        } | {
            /** @constant */
            code: "nobody_answers";
        } | {
            /** @constant */
            code: "runs_as_root";
        } | {
            /** @constant */
            code: "directory_writable";
            /** @description The directory. */
            path: string;
        } | {
            /** @constant */
            code: "config_writable";
            /** @description The file. */
            path: string;
        } | {
            /** @constant */
            code: "secret_readable";
            /** @description The file. */
            path: string;
        } | {
            /** @constant */
            code: "config_broken";
            /** @description What is wrong with it, for people. */
            error: string;
        } | {
            /** @constant */
            code: "project_broken";
            /** @description What is wrong with it, for people. */
            error: string;
        } | {
            /** @constant */
            code: "wide_rule";
            /** @description What is wrong with it, for people. */
            message: string;
            /** @description The file and the line. */
            place: string;
        } | {
            /** @constant */
            code: "other";
            /** @description What, for people. */
            message: string;
        };
        /** @description An address that would be fetched. */
        WebAddress: {
            /** @description The host it leads to, as the network sees it (punycode); none where that cannot be told. */
            host?: string;
            /** @description The same as codes, one for each sentence; empty in what was kept before there were codes. */
            noteCodes?: components["schemas"]["AddressNote"][];
            /** @description What a reader could miss: a user name that looks like a host, a name in another script, an unusual port. */
            notes?: string[];
            /** @description As the call names it. */
            url: string;
        };
        /** @description A message that came to nothing. */
        Wrong: {
            /** @description Which kind of fault, for programs. */
            code: string;
            /** @description What to do. */
            hint?: string;
            /** @description The question it was about, as far as that could be read. */
            id?: string;
            /** @description What was wrong and where, for people. */
            message: string;
            /**
             * Format: uint16
             * @description The status the same would have over HTTP.
             */
            status: number;
        };
    };
    responses: {
        /** @description `Closing`: The server is stopping; ask the next one, or again in a moment. `NoRoom`: More is being sent or asked for at once than there is room for; ask again in a moment. `NotRecorded`: The database cannot be read or written now, so nothing is let through. */
        Closing: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `Conflict`: Another answer was given before, or the same call was asked with another input. `DigestMismatch`: The answer was meant for something other than what is being asked. `LastAdmin`: The token is the last of an admin; nobody could make another. `Busy`: Somebody else does the same just now. `NoKey`: The record cannot be verified without its key. `NotEditable`: The rule is built in or stands in another file than the user's own, or its file has just changed. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `Forbidden`: The role of the token does not allow it. `HostNotAllowed`: `Host` is none of the names this server has. `OriginNotAllowed`: The request comes from a page of another site. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `Gone`: The question has expired or was withdrawn. */
        Gone: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `Internal`: An answer could not be written: a fault of the server. `LedgerDamaged`: The database holds what cannot be read; run `sekisho doctor`. `NotWritten`: A file could not be written. */
        Internal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `InvalidRequest`: Something in the request makes no sense; the message names the field. `EditNotChecked`: The edited input cannot be checked by the tool's schema; approve or deny the call as it is. `SchemaNotTaken`: `inputSchema` cannot be used to check by: too long, too deep, or its references lead elsewhere. */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `MethodNotAllowed`: The path has no such method; `Allow` says which it has. */
        MethodNotAllowed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `NotFound`: There is no such thing, or none that the caller may see. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `RateLimited`: Too many requests, open questions or failed attempts; see `Retry-After`. */
        RateLimited: {
            headers: {
                /** @description Seconds to wait */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `TooLarge`: The body is larger than is taken. `TooManyValues`: The values in the body would take more memory than is given for its size. */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `TooSlow`: The body took too long to arrive. */
        TooSlow: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `Unauthenticated`: No token came, or none that counts. */
        Unauthenticated: {
            headers: {
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `UnsupportedMediaType`: The body is not declared as JSON. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description `UpgradeRequired`: This is a WebSocket. */
        UpgradeRequired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listApprovals: {
        parameters: {
            query?: {
                /** @description Only those asked before this one: the `next` of the page before. */
                before?: components["schemas"]["ApprovalId"];
                /** @description How many at most; 100 unless told, 500 at most. */
                limit?: number;
                /** @description Only those in this state. */
                state?: components["schemas"]["QuestionState"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Questions"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SeenQuestion"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    withdrawApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SeenQuestion"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    answerApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "behavior": "deny",
                 *       "message": "Not on a Friday; open a pull request."
                 *     }
                 */
                "application/json": components["schemas"]["AnswerBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnswerTaken"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    waitForApproval: {
        parameters: {
            query?: {
                /** @description How long at most, in milliseconds; 30 000 unless told. */
                timeoutMs?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SeenQuestion"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    searchAudit: {
        parameters: {
            query?: {
                /** @description The agent, exactly. */
                agent?: string;
                /** @description The question. */
                approval?: components["schemas"]["ApprovalId"];
                /** @description Who decided, by name. */
                approver?: string;
                /** @description The `next` of the page before. */
                before?: string;
                /** @description Checkpoints as well. */
                checkpoints?: boolean;
                /** @description What was decided. */
                decision?: components["schemas"]["Decision"];
                /** @description Not before. */
                from?: string;
                /** @description What kind of thing happened. */
                kind?: components["schemas"]["RecordKind"];
                /** @description How many at most; 100 unless told. */
                limit?: number;
                /** @description Text that is in a row, ignoring case. */
                text?: string;
                /** @description Before. */
                to?: string;
                /** @description The tool, exactly. */
                tool?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRows"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    exportAudit: {
        parameters: {
            query?: {
                /** @description The agent, exactly. */
                agent?: string;
                /** @description The question. */
                approval?: components["schemas"]["ApprovalId"];
                /** @description Who decided, by name. */
                approver?: string;
                /** @description What was decided. */
                decision?: components["schemas"]["Decision"];
                /** @description How to write them; `jsonl` unless told. */
                format?: components["schemas"]["AuditFormat"];
                /** @description Not before. */
                from?: string;
                /** @description What kind of thing happened. */
                kind?: components["schemas"]["RecordKind"];
                /** @description Text that is in a row, ignoring case. */
                text?: string;
                /** @description Before; now unless told. */
                to?: string;
                /** @description The tool, exactly. */
                tool?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    auditKinds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditKinds"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getAuditRow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                seq: string;
                writer: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRowInChain"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    auditStats: {
        parameters: {
            query?: {
                /** @description Not before; a day before `to` unless told. */
                from?: string;
                /** @description Before; now unless told. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditStats"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    verifyAudit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditVerified"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    canUseTool: {
        parameters: {
            query?: {
                /** @description `false`: do not wait for a human. */
                wait?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "cwd": "/home/me/project",
                 *       "input": {
                 *         "command": "git push origin main"
                 *       },
                 *       "timeoutMs": 120000,
                 *       "toolName": "bash",
                 *       "toolUseId": "call-1"
                 *     }
                 */
                "application/json": components["schemas"]["CanUseTool"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Permission"];
                };
            };
            /** @description It was taken on and is not finished. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnQuestion"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    decide: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "cwd": "/home/me/project",
                 *       "input": {
                 *         "command": "git status"
                 *       },
                 *       "toolName": "bash"
                 *     }
                 */
                "application/json": components["schemas"]["Decide"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Decided"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Closing"];
        };
    };
    getDocsStyle: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/css": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Closing"];
        };
    };
    followEvents: {
        parameters: {
            query?: {
                /**
                 * @description The last event that was heard, for clients that cannot set `Last-Event-ID`. The header goes first: a browser that
                 *     comes back sends it, and the same query as before.
                 */
                lastEventId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    reportExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "durationMs": 830,
                 *       "isError": false,
                 *       "output": "Everything up-to-date"
                 *     }
                 */
                "application/json": components["schemas"]["Ended"];
            };
        };
        responses: {
            /** @description Done; there is nothing to tell. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    hook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Notifications"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    setNotifications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationsInput"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Notifications"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getOpenapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Closing"];
        };
    };
    listRules: {
        parameters: {
            query?: {
                /** @description Only rules that do this. */
                effect?: components["schemas"]["Effect"];
                /** @description Only the files that count in this registered project; all registered ones unless told. */
                project?: string;
                /** @description Only rules from here. */
                source?: components["schemas"]["RuleSource"];
                /** @description Only rules with this text in a field or in the name of their file, ignoring case. */
                text?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    addRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleBody"];
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleItem"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleItem"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    replaceRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleItem"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    removeRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to tell. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    suggestRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suggestions"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    testRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RuleTrial"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleTried"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionBody"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            503: components["responses"]["Closing"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to tell. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokensBody"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "agent": "ci-bot",
                 *       "expiresInDays": 30,
                 *       "name": "ci",
                 *       "role": "agent"
                 *     }
                 */
                "application/json": components["schemas"]["NewTokenBody"];
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeToken"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to tell. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    createLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "phone",
                 *       "role": "approver"
                 *     }
                 */
                "application/json": components["schemas"]["NewLinkBody"];
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeLink"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    listProjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    trustProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrustBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    distrustProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DistrustBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["TooSlow"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    openSocket: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection becomes a WebSocket. */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            426: components["responses"]["UpgradeRequired"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["Forbidden"];
            503: components["responses"]["Closing"];
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Closing"];
        };
    };
}

/** The method and path of every operation. */
export const routes = {
  addRule: ['POST', '/api/rules'],
  answerApproval: ['POST', '/api/approvals/{id}/answer'],
  auditKinds: ['GET', '/api/audit/kinds'],
  auditStats: ['GET', '/api/audit/stats'],
  canUseTool: ['POST', '/api/can-use-tool'],
  createLink: ['POST', '/api/tokens/links'],
  createToken: ['POST', '/api/tokens'],
  decide: ['POST', '/api/decide'],
  distrustProject: ['DELETE', '/api/trust'],
  exportAudit: ['GET', '/api/audit/export'],
  followEvents: ['GET', '/api/events'],
  getApproval: ['GET', '/api/approvals/{id}'],
  getAuditRow: ['GET', '/api/audit/rows/{writer}/{seq}'],
  getDocs: ['GET', '/api/docs'],
  getDocsStyle: ['GET', '/api/docs.css'],
  getNotifications: ['GET', '/api/notifications'],
  getOpenapi: ['GET', '/api/openapi.json'],
  getRule: ['GET', '/api/rules/{id}'],
  getSession: ['GET', '/api/session'],
  health: ['GET', '/healthz'],
  hook: ['POST', '/api/hooks/{agent}'],
  listApprovals: ['GET', '/api/approvals'],
  listProjects: ['GET', '/api/trust'],
  listRules: ['GET', '/api/rules'],
  listTokens: ['GET', '/api/tokens'],
  metrics: ['GET', '/metrics'],
  openSocket: ['GET', '/api/ws'],
  removeRule: ['DELETE', '/api/rules/{id}'],
  replaceRule: ['PUT', '/api/rules/{id}'],
  reportExecution: ['POST', '/api/executions/{id}'],
  revokeToken: ['DELETE', '/api/tokens/{id}'],
  searchAudit: ['GET', '/api/audit'],
  setNotifications: ['PUT', '/api/notifications'],
  signIn: ['POST', '/api/session'],
  signOut: ['DELETE', '/api/session'],
  suggestRules: ['GET', '/api/rules/suggestions'],
  testRule: ['POST', '/api/rules/test'],
  trustProject: ['POST', '/api/trust'],
  verifyAudit: ['POST', '/api/audit/verify'],
  waitForApproval: ['GET', '/api/approvals/{id}/wait'],
  withdrawApproval: ['DELETE', '/api/approvals/{id}'],
} as const;
