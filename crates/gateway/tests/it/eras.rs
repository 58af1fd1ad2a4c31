//! Every pairing of client and server era gives the same results.

use crate::world::{ASKED, Era, World, text_of};
use serde_json::json;

const PAIRS: [(Era, Era); 4] = [
    (Era::Legacy, Era::Legacy),
    (Era::Modern, Era::Modern),
    (Era::Legacy, Era::Modern),
    (Era::Modern, Era::Legacy),
];

#[tokio::test]
async fn a_client_of_either_era_reaches_a_server_of_either_era() {
    for (client_era, server_era) in PAIRS {
        let world = World::open();
        let mut client = world.connect(client_era, server_era);
        let hello = match client_era {
            Era::Legacy => client.initialize().await,
            Era::Modern => client.request("server/discover", json!({})).await,
        };
        assert!(hello["result"]["capabilities"]["tools"].is_object(), "{hello}");
        let info = match client_era {
            Era::Legacy => &hello["result"]["serverInfo"],
            Era::Modern => &hello["result"]["_meta"]["io.modelcontextprotocol/serverInfo"],
        };
        assert_eq!(info["name"], "fixture", "{hello}");
        let listed = client.request("tools/list", json!({})).await;
        let names: Vec<&str> = listed["result"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert!(names.contains(&"retry") && names.contains(&"echo"), "{names:?}");
        let echoed = client.call("echo", json!({"a": 1})).await;
        assert_eq!(text_of(&echoed), r#"{"a":1,"n":7}"#);
        assert_eq!(echoed["result"]["kept"], json!(1.0), "unknown fields are kept");
        if client_era == Era::Modern {
            assert_eq!(echoed["result"]["resultType"], "complete");
            assert!(listed["result"]["cacheScope"].is_string(), "{listed}");
        }
        let resources = client.request("resources/list", json!({})).await;
        assert_eq!(resources["result"]["resources"][0]["extra"], json!(1.0));
        let unknown = client.request("no/such", json!({})).await;
        assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
        assert_eq!(world.lines("starts").len(), 1);
    }
}

#[tokio::test]
async fn a_servers_question_reaches_the_client_in_the_clients_own_way() {
    for (client_era, server_era) in PAIRS {
        let world = World::open();
        let mut client = world.connect(client_era, server_era);
        if client_era == Era::Legacy {
            client.initialize().await;
        }
        let params = json!({"name": "ask", "arguments": {}});
        let id = client.send("tools/call", params.clone()).await;
        let answer = json!({"action": "accept", "content": {"name": "Ana"}});
        let response = match client_era {
            Era::Legacy => {
                let asked = client.wait_for("elicitation/create").await;
                assert_eq!(asked["params"]["message"], ASKED);
                let reply = json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer});
                client.write(&reply.to_string()).await;
                client.wait(id).await
            }
            Era::Modern => {
                let paused = client.wait(id).await;
                let result = &paused["result"];
                assert_eq!(result["resultType"], "input_required", "{paused}");
                let inputs = result["inputRequests"].as_object().unwrap();
                let key = inputs.keys().next().unwrap().clone();
                assert_eq!(inputs[&key]["params"]["message"], ASKED);
                let mut again = params.clone();
                again["inputResponses"] = json!({key: answer});
                again["requestState"] = result["requestState"].clone();
                let replayed = again.clone();
                let answered = client.request("tools/call", again).await;
                let second = client.request("tools/call", replayed).await;
                let code = &second["error"]["code"];
                assert_eq!(code, &json!(-32602), "a handle is used once: {second}");
                answered
            }
        };
        assert_eq!(text_of(&response), "hello Ana", "{client_era:?} {server_era:?}");
        assert_eq!(world.lines("executions"), ["asked"]);
    }
}

#[tokio::test]
async fn progress_reaches_the_request_that_asked_for_it_under_its_own_token() {
    for (client_era, server_era) in PAIRS {
        let world = World::open();
        let mut client = world.connect(client_era, server_era);
        if client_era == Era::Legacy {
            client.initialize().await;
        }
        let params =
            json!({"name": "progress", "arguments": {}, "_meta": {"progressToken": "mine"}});
        let response = client.request("tools/call", params).await;
        assert_eq!(text_of(&response), "progressed");
        let progress: Vec<_> =
            client.seen.iter().filter(|m| m["method"] == "notifications/progress").collect();
        assert_eq!(progress.len(), 1, "{:?}", client.seen);
        assert_eq!(progress[0]["params"]["progressToken"], "mine");
    }
}

#[tokio::test]
async fn a_version_that_nobody_knows_is_refused_with_those_that_are_known() {
    let world = World::open();
    let mut client = world.connect(Era::Legacy, Era::Modern);
    let params = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientCapabilities": {}}});
    let refused = client.request("server/discover", params).await;
    assert_eq!(refused["error"]["code"], -32022);
    assert_eq!(refused["error"]["data"]["supported"], json!(["2026-07-28"]));
    let bare = client.request("tools/list", json!({})).await;
    assert_eq!(bare["error"]["code"], -32600, "{bare}");
}
