package deploy

deny := "not a set"
