// Package chart tests the Helm chart of charts/upflab: what it makes of values.
package chart

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the golden files")

// folder of the chart.
const folder = "../../../../charts/upflab"

func load(t *testing.T) *chart.Chart {
	t.Helper()
	c, err := loader.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// render gives the texts of a release with these values.
func render(t *testing.T, values string) (map[string]string, error) {
	t.Helper()
	c := load(t)
	var v map[string]any
	if err := yaml.Unmarshal([]byte(values), &v); err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(c, v, chartutil.ReleaseOptions{Name: "upflab", Namespace: "lab", IsInstall: true, Revision: 1}, nil)
	if err != nil {
		return nil, err
	}
	return engine.Render(c, all)
}

// TestGolden compares what testdata/NAME.values.yaml makes with testdata/NAME.yaml.
func TestGolden(t *testing.T) {
	list, err := filepath.Glob("testdata/*.values.yaml")
	if err != nil || len(list) == 0 {
		t.Fatal("no values in testdata", err)
	}
	for _, path := range list {
		values, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts, err := render(t, string(values))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		golden(t, strings.TrimSuffix(path, ".values.yaml")+".yaml", joined(texts))
	}
}

// joined are all texts in the order of their names, as one.
func joined(texts map[string]string) []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(texts[name]), "---")); text != "" {
			b.WriteString("--- # " + name + "\n" + text + "\n")
		}
	}
	return b.Bytes()
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("what the chart makes is not as in %s (%v); go test -update writes it", path, err)
	}
}

// TestFields reads the objects with Kubernetes' own types: no field is unknown to them.
func TestFields(t *testing.T) {
	values, err := os.ReadFile("testdata/all.values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	texts, err := render(t, string(values))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for name, text := range texts {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for one := range strings.SplitSeq(text, "\n---\n") {
			readObject(t, name, one, found)
		}
	}
	if found["Service"] != 1 || found["StatefulSet"] != 1 || found["Deployment"] != 2 {
		t.Errorf("objects: %v", found)
	}
}

func readObject(t *testing.T, name, text string, found map[string]int) {
	t.Helper()
	kinds := map[string]any{"Service": &corev1.Service{}, "StatefulSet": &appsv1.StatefulSet{}, "Deployment": &appsv1.Deployment{}}
	var kind struct{ Kind string }
	if err := yaml.Unmarshal([]byte(text), &kind); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	if kind.Kind == "" {
		return
	}
	found[kind.Kind]++
	if into, known := kinds[kind.Kind]; !known {
		t.Errorf("%s: an object of kind %s", name, kind.Kind)
	} else if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// TestRefused wants values that make no sense refused with their names.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ values, says string }{
		{"hub: {keys: k}", "image.name: name an image"},
		{"image: {name: i}\nagents: [{name: rack1}]", "pass"},
		{"image: {name: i}\nagents: [{name: Rack_1, pass: p}]", "name"},
		{"image: {name: i}\nagents: [{name: a, pass: p}, {name: a, pass: q}]", "a is there twice"},
		{"image: {name: i}\nagents: [{name: a, pass: p, hostnetwork: true}]", "hostnetwork"},
		{"hub: {port: 80}", "port"},
		{"hub: {lease: soon}", "lease"},
		{"hub: {storage: {size: lots}}", "size"},
		{"hubs: {}", "hubs"},
	} {
		if _, err := render(t, c.values); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s\n\tgave %v, want an error with %q", c.values, err, c.says)
		}
	}
}
