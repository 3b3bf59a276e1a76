//! Routes for rules: reading all layers, changing rules of the database and of the user's own file, testing and
//! suggesting rules.

mod change;
mod items;
mod list;
mod past_call_test;
mod suggestions;
mod user_file;

use axum::http::Method;

use crate::access::Access;
use crate::route::Route;
use crate::wire::rule::{RuleBody, RuleItem, RuleList, RuleTestRequest, RuleTestResponse, Suggestions};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/rules", Access::READ, "listRules", list::list)
            .summary("Lists the rules of all layers, where each is, and how often it decided")
            .notes("Each rule appears in our own names, in `rule`, and in the flat form `serverId`, `toolName`, `toolPattern`, `autoApprove`, `priority`.")
            .query::<list::RulesQuery>()
            .response::<RuleList>(200),
        Route::new(Method::POST, "/api/rules", Access::ADMIN, "addRule", change::add)
            .summary("Adds a rule to the database")
            .notes("Fields may be next to `effect` or in `rule`. `serverId` and `toolName` are other names for `server` and `tool`, `autoApprove` for `effect`; two spellings must agree. A rule without any condition matches every call.")
            .request_body::<RuleBody>()
            .response::<RuleItem>(201),
        Route::new(Method::POST, "/api/rules/test", Access::READ, "testRule", past_call_test::test)
            .summary("Tests what one or several rules would have decided on recent calls")
            .notes("Judges past calls by the current rules, with and without the tested ones, using the facts about files recorded then. Nothing is stored.")
            .request_body::<RuleTestRequest>()
            .response::<RuleTestResponse>(200)
            .error_statuses(&[404]),
        Route::new(Method::GET, "/api/rules/suggestions", Access::READ, "suggestRules", suggestions::suggest)
            .summary("Suggests rules from the answers of the last thirty days")
            .notes("A suggestion needs at least five equal answers by people, none to the contrary, and a call that would still be asked about today.")
            .response::<Suggestions>(200),
        Route::new(Method::GET, "/api/rules/{id}", Access::READ, "getRule", list::show)
            .summary("Gets a rule")
            .response::<RuleItem>(200)
            .error_statuses(&[404]),
        Route::new(Method::PUT, "/api/rules/{id}", Access::ADMIN, "replaceRule", change::replace)
            .summary("Replaces a rule")
            .notes("Send the whole rule: omitted fields are removed. A rule of the user's own file is changed in that file, which keeps its comments and order; the rule may then get a different id. Rules of other files and built-in rules cannot be changed here: 409.")
            .request_body::<RuleBody>()
            .response::<RuleItem>(200)
            .error_statuses(&[404, 409]),
        Route::new(Method::DELETE, "/api/rules/{id}", Access::ADMIN, "removeRule", change::remove)
            .summary("Removes a rule")
            .notes("The rule must be in the database or in the user's own file.")
            .media_response(204, "")
            .error_statuses(&[404, 409]),
    ]
}
