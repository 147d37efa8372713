package host

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// podman knows one container, left, and takes it away.
const podman = `#!/bin/sh
[ "$1 $2" = "--runtime runc" ] || exit 125
shift 2
case "$*" in
"container exists left") [ ! -e "$0.removed" ] ;;
"container exists "*) exit 1 ;;
"rm --force --ignore --time 0 left") touch "$0.removed" ;;
*) echo "Error: $*" >&2; exit 125 ;;
esac
`

func TestKilledRunsContainers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "podman")
	if err := os.WriteFile(path, []byte(podman), 0o755); err != nil {
		t.Fatal(err)
	}
	command := []string{path, "--runtime", "runc"}
	claim, err := NewClaimIn(dir, "aaaaa")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"left", "never-made"} {
		if err := claim.AddContainer(command, name, false); err != nil {
			t.Fatal(err)
		}
	}
	claim.Abandon() // as a kill does
	removed, err := CleanStaleIn(dir)
	if err != nil || !slices.Equal(removed, []string{"container left"}) {
		t.Errorf("it removed %q, %v", removed, err)
	}
	if removed, err := CleanStaleIn(dir); err != nil || len(removed) != 0 {
		t.Errorf("the second time: %q, %v", removed, err)
	}
}

// A podman that is gone since does not keep the rest from being removed, and the
// list stays.
func TestContainerThatCannotBeRemoved(t *testing.T) {
	dir := t.TempDir()
	claim, err := NewClaimIn(dir, "bbbbb")
	if err != nil {
		t.Fatal(err)
	}
	if err := claim.AddContainer([]string{filepath.Join(dir, "none")}, "left", false); err != nil {
		t.Fatal(err)
	}
	err = claim.RemoveContainer("left")
	for _, w := range []string{"container left", "none rm --force left"} {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("the error %v does not say %q", err, w)
		}
	}
	claim.Abandon()
	if _, err := CleanStaleIn(dir); err == nil {
		t.Error("nobody was told")
	}
	if _, err := os.Stat(listPath(claim.dir, claim.Run)); err != nil {
		t.Errorf("the list is gone: %v", err)
	}
}

// docker knows one container, left, and takes it away; it has no `container exists`.
const docker = `#!/bin/sh
case "$*" in
"container ls --all --quiet --filter name=^/?left$") [ -e "$0.removed" ] || echo 4f2c ;;
"container ls "*) ;;
"rm --force left") touch "$0.removed" ;;
*) exit 1 ;;
esac
`

func TestDockerContainer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docker")
	if err := os.WriteFile(path, []byte(docker), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		was  bool
	}{{"left", true}, {"left", false}, {"other", false}} {
		if was, err := (container{Command: []string{path}, Name: c.name, Docker: true}).remove(); was != c.was || err != nil {
			t.Errorf("%s: there was one: %v, %v", c.name, was, err)
		}
	}
}
