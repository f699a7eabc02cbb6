package deploy

deny contains "never" if {
	some a in numbers.range(1, 3000)
	some b in numbers.range(1, 3000)
	some c in numbers.range(1, 3000)
	(a * b) * c == 0
}
