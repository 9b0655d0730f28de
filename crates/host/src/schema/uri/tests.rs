//! Reference resolution, by the table of RFC 3986 section 5.4 and the shapes that schemas use.

use super::resolve;

#[test]
fn references_resolve_against_their_base() {
    let deep = "http://a/b/c/d;p?q";
    let cases = [
        (deep, "g", "http://a/b/c/g", ""),
        (deep, "./g", "http://a/b/c/g", ""),
        (deep, "g/", "http://a/b/c/g/", ""),
        (deep, "/g", "http://a/g", ""),
        (deep, "//g", "http://g", ""),
        (deep, "?y", "http://a/b/c/d;p?y", ""),
        (deep, "g?y#s", "http://a/b/c/g?y", "s"),
        (deep, "", "http://a/b/c/d;p?q", ""),
        (deep, ".", "http://a/b/c/", ""),
        (deep, "..", "http://a/b/", ""),
        (deep, "../g", "http://a/b/g", ""),
        (deep, "../../../g", "http://a/g", ""),
        (deep, "g:h", "g:h", ""),
        ("http://a", "g", "http://a/g", ""),
        ("", "#/a%20b/c%25d", "", "/a b/c%d"),
        ("", "Node", "Node", ""),
        ("Node", "#", "Node", ""),
        ("Node", "Leaf#name", "Leaf", "name"),
        ("urn:uuid:1", "#/x", "urn:uuid:1", "/x"),
        ("", "#/broken%zz%", "", "/broken%zz%"),
        ("", "#/%ff", "", "/%ff"),
    ];
    for (base, reference, resource, fragment) in cases {
        let target = resolve(base, reference);
        assert_eq!(
            (target.resource.as_str(), target.fragment.as_str()),
            (resource, fragment),
            "{reference} in {base}"
        );
    }
}
