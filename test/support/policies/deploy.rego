# As docs/policies.md has it.
package deploy

destroyed contains change if {
	some change in input.changes
	change.kind == "resource"
	change.action in {"destroy", "replace", "forget"}
}

deny contains sprintf("%s holds data and would be lost (%s).", [change.address, change.action]) if {
	some change in destroyed
	startswith(change.type, "aws_db_")
}

warn contains "Nobody reviewed it: it comes from no pull request." if {
	input.pull_request == null
	count(input.changes) > 0
}

approvals contains {"count": 2, "from": ["role:platform"], "reason": "It destroys more than ten resources."} if {
	count(destroyed) > 10
}
