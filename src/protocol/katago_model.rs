//! A net as KataGo's protocols list it: `kata-get-models` and `query_models`.

use serde_json::{Value, json};

use crate::net::Net;
use crate::net::evaluate::batch_size;

/// The name of the built-in net.
pub(crate) fn built_in_name() -> String {
    concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"), ", built in").to_owned()
}

/// A net under the name of its file, or under its own name where no file is known. `usingFP16` means IEEE half precision,
/// which no net uses here: convolutions are in `f32`, 16-bit integers or bfloat16. A small net has its digest in place of
/// a name, and no version.
pub(crate) fn model(file: Option<&str>, net: &Net) -> Value {
    let katago = net.katago();
    let own_name = katago.map_or(net.digest(), |net| net.name());
    json!({
        "name": file.unwrap_or(own_name),
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
    fn a_net_without_a_file_has_its_own_name() {
        let net = Net::built_in().unwrap();
        let (named, own) = (model(Some("a.bin.gz"), &net), model(None, &net));
        assert_eq!((&named["name"], &named["internalName"]), (&json!("a.bin.gz"), &json!(net.digest())));
        assert_eq!((&own["name"], &own["internalName"]), (&json!(net.digest()), &json!(net.digest())));
        assert_eq!((&own["version"], own["maxBatchSize"].as_u64().unwrap() > 0), (&Value::Null, true));
    }
}
