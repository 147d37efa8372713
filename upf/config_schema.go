package upf

import _ "embed"

// Schema is the JSON schema (draft 2020-12) of the configuration file.
//
//go:embed config.schema.json
var Schema string

// Example is a configuration file with every key and what it means.
//
//go:embed example.yaml
var Example string
