package deploy

deny contains response.body.reason if {
	response := http.send({"method": "get", "url": "http://127.0.0.1/"})
}
