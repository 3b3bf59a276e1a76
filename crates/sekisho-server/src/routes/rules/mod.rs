//! Rules: all layers to read, those of the database and of the user's own file to write, and what they do or would do.

mod in_file;
mod layers;
mod listing;
mod suggesting;
mod trying;
mod writing;

use axum::http::Method;

use crate::access::Access;
use crate::route::Route;
use crate::wire::rule::{RuleBody, RuleItem, RuleList, RuleTrial, RuleTried, Suggestions};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/rules", Access::READ, "listRules", listing::list)
            .says("Every rule of every layer, where it stands, and how often it decided")
            .notes("Each rule is told in our own names, in `rule`, and in the flat form `serverId`, `toolName`, `toolPattern`, `autoApprove`, `priority`.")
            .query::<listing::Listing>()
            .gives::<RuleList>(200),
        Route::new(Method::POST, "/api/rules", Access::ADMIN, "addRule", writing::add)
            .says("Adds a rule to the database")
            .notes("Fields may stand beside `effect` or in `rule`. `serverId` and `toolName` are other names for `server` and `tool`, `autoApprove` for `effect`; two spellings have to agree. A rule that names nothing matches every call.")
            .takes::<RuleBody>()
            .gives::<RuleItem>(201),
        Route::new(Method::POST, "/api/rules/test", Access::READ, "testRule", trying::test)
            .says("What a rule, or several together, would have done to the last calls")
            .notes("Judged by the rules in force, with and without them, by what was known of files then. Nothing is kept.")
            .takes::<RuleTrial>()
            .gives::<RuleTried>(200)
            .faults(&[404]),
        Route::new(Method::GET, "/api/rules/suggestions", Access::READ, "suggestRules", suggesting::suggest)
            .says("Rules that the answers of the last thirty days speak for")
            .notes("Five equal answers by people at least, none to the contrary, and still a question today.")
            .gives::<Suggestions>(200),
        Route::new(Method::GET, "/api/rules/{id}", Access::READ, "getRule", listing::show)
            .says("One rule")
            .gives::<RuleItem>(200)
            .faults(&[404]),
        Route::new(Method::PUT, "/api/rules/{id}", Access::ADMIN, "replaceRule", writing::replace)
            .says("Puts another rule in the place of one")
            .notes("The whole rule: what is left out is gone. A rule of the user's own file is changed in that file, whose comments and order stay; its id may be another afterwards. Rules of other files and built-in ones are not changed here: 409.")
            .takes::<RuleBody>()
            .gives::<RuleItem>(200)
            .faults(&[404, 409]),
        Route::new(Method::DELETE, "/api/rules/{id}", Access::ADMIN, "removeRule", writing::remove)
            .says("Removes a rule")
            .notes("One of the database, or of the user's own file.")
            .gives_other(204, "")
            .faults(&[404, 409]),
    ]
}
