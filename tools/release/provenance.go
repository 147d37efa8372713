package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The provenance says which sources and which Go a release was made from, and by what: an in-toto Statement
// v1 with the predicate SLSA Provenance v1 (https://slsa.dev/spec/v1.0/provenance). It has no time and no
// name of a machine, so that the same commit gives the same bytes.
const (
	statementType  = "https://in-toto.io/Statement/v1"
	provenanceType = "https://slsa.dev/provenance/v1"
	sourcesURI     = "git+https://github.com/upflab/upflab"
	builderID      = "https://github.com/upflab/upflab/tree/main/tools/release"
	buildType      = "https://github.com/upflab/upflab/blob/main/docs/install.md#provenance"
)

type digest map[string]string

// resource is what in-toto calls a ResourceDescriptor.
type resource struct {
	Name   string `json:"name,omitempty"`
	URI    string `json:"uri,omitempty"`
	Digest digest `json:"digest"`
}

// statement is that of a release.
type statement struct {
	Type          string     `json:"_type"`
	Subject       []resource `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     predicate  `json:"predicate"`
}

type predicate struct {
	BuildDefinition struct {
		BuildType            string         `json:"buildType"`
		ExternalParameters   map[string]any `json:"externalParameters"`
		InternalParameters   map[string]any `json:"internalParameters"`
		ResolvedDependencies []resource     `json:"resolvedDependencies"`
	} `json:"buildDefinition"`
	RunDetails struct {
		Builder struct {
			ID string `json:"id"`
		} `json:"builder"`
	} `json:"runDetails"`
}

func (v version) provenanceName() string { return "upflab-" + v.plain() + ".intoto.json" }

// newStatement is about files with these checksums.
func newStatement(sums map[string]string, o options, goVersion string, v version) statement {
	s := statement{Type: statementType, PredicateType: provenanceType}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		s.Subject = append(s.Subject, resource{Name: name, Digest: digest{"sha256": sums[name]}})
	}
	d := &s.Predicate.BuildDefinition
	d.BuildType = buildType
	d.ExternalParameters = map[string]any{"arch": strings.Join(o.arches, ","), "version": v.name}
	d.InternalParameters = map[string]any{"go": goVersion}
	d.ResolvedDependencies = []resource{{URI: sourcesURI, Digest: digest{"gitCommit": v.commit}}}
	s.Predicate.RunDetails.Builder.ID = builderID
	return s
}

// provenance writes the statement about files of a release.
func provenance(o options, names []string, v version) (string, error) {
	sums, err := sumsOf(o.out, names)
	if err != nil {
		return "", err
	}
	goVersion, err := o.goVersion()
	if err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(newStatement(sums, o, goVersion, v), "", "  ")
	if err != nil {
		return "", err
	}
	return v.provenanceName(), os.WriteFile(filepath.Join(o.out, v.provenanceName()), append(text, '\n'), 0o644)
}

// checkProvenance: the statement is about this commit, and all files of the release but itself.
func checkProvenance(dir string, v version) error {
	text, err := os.ReadFile(filepath.Join(dir, v.provenanceName()))
	if err != nil {
		return err
	}
	var s statement
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("no in-toto statement: %w", err)
	}
	if s.Type != statementType || s.PredicateType != provenanceType {
		return fmt.Errorf("a %s about %s, not a %s about %s", s.Type, s.PredicateType, statementType, provenanceType)
	}
	sources := s.Predicate.BuildDefinition.ResolvedDependencies
	if len(sources) != 1 || sources[0].URI != sourcesURI || sources[0].Digest["gitCommit"] != v.commit {
		return fmt.Errorf("the sources are %v, not commit %s of %s", sources, v.commit, sourcesURI)
	}
	want, err := readSums(filepath.Join(dir, sumsName))
	if err != nil {
		return err
	}
	delete(want, v.provenanceName())
	var wrong []error
	for _, r := range s.Subject {
		if want[r.Name] != r.Digest["sha256"] || want[r.Name] == "" {
			wrong = append(wrong, fmt.Errorf("%s has the checksum %q here and %q in %s", r.Name, r.Digest["sha256"], want[r.Name], sumsName))
		}
		delete(want, r.Name)
	}
	for name := range want {
		wrong = append(wrong, fmt.Errorf("nothing about %s", name))
	}
	return errors.Join(wrong...)
}
