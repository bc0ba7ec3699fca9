//! A net as KataGo's protocols list it: `kata-get-models` and `query_models`.

use serde_json::{Value, json};

use crate::net::Net;
use crate::net::evaluate::batch_size;

/// The name of the built-in net.
pub(crate) fn built_in_name() -> String {
    concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"), ", built in").to_owned()
}

/// A net under the name of its file, or that of the built-in net. `usingFP16` means IEEE half precision,
/// which no net uses here: convolutions are in `f32`, 16-bit integers or bfloat16. A native net has its digest in place of
/// a name, and no version.
pub(crate) fn model(name: &str, net: &Net) -> Value {
    let katago = net.katago();
    let own_name = katago.map_or(net.digest(), |net| net.name());
    json!({
        "name": name,
        "internalName": own_name,
        "maxBatchSize": batch_size(1),
        "usesHumanSLProfile": false,
        "version": katago.map(|net| net.version()),
        "usingFP16": "false",
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_native_net_has_its_digest_in_place_of_a_name() {
        let net = Net::built_in().unwrap();
        let listed = model("a.bin.gz", &net);
        assert_eq!((&listed["name"], &listed["internalName"]), (&json!("a.bin.gz"), &json!(net.digest())));
        assert_eq!((&listed["version"], listed["maxBatchSize"].as_u64().unwrap() > 0), (&Value::Null, true));
    }
}
