package main

import (
	"os"
	"testing"
)

// TestSchemaIsTheTypes: the schema in the program and the tables of the keys are those of the types.
func TestSchemaIsTheTypes(t *testing.T) {
	files, err := generated()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is not what the types say: %v; run: go generate ./internal/scenario/schemagen", path, err)
		}
	}
}
