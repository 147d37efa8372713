package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// recipeRelease is a release whose program is a script, for this machine.
func recipeRelease(t *testing.T) string {
	t.Helper()
	out := t.TempDir()
	list := append(stand(), file{"/usr/share/zsh/vendor-completions/_upflab", 0o644, []byte("#compdef upflab\n")},
		file{"/usr/share/doc/upflab/README.md", 0o644, []byte("read")}, file{"/usr/share/doc/upflab/SECURITY.md", 0o644, []byte("secure")},
		file{"/usr/share/doc/upflab/grafana-dashboard.json", 0o644, []byte("{}")},
		file{"/usr/lib/systemd/system/upflab-serve.service", 0o644, []byte("ExecStart=/usr/bin/upflab serve\n")})
	name, err := archive(out, runtime.GOARCH, list, released)
	if err != nil {
		t.Fatal(err)
	}
	names, err := recipes(out, []string{runtime.GOARCH}, released)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := checksums(out, append(names, name)); err != nil {
		t.Fatal(err)
	}
	return out
}

// below are the files below a folder, by their paths.
func below(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			short, _ := filepath.Rel(dir, path) // path is below dir
			list = append(list, short)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// install calls install.sh as a pipe does.
func install(t *testing.T, release, prefix string) (string, error) {
	t.Helper()
	script, err := os.Open(filepath.Join(release, installerName))
	if err != nil {
		t.Fatal(err)
	}
	defer script.Close()
	c := exec.Command("sh")
	c.Stdin, c.Env = script, append(os.Environ(), "PREFIX="+prefix, "FROM=file://"+release)
	out, err := c.CombinedOutput()
	return string(out), err
}

// TestInstaller: install.sh puts the archive's files below PREFIX, and replaces an older program.
func TestInstaller(t *testing.T) {
	release, prefix := recipeRelease(t), t.TempDir()
	for range 2 {
		said, err := install(t, release, prefix)
		if err != nil || said != "upflab v1.2.3 is in "+prefix+"/bin\n" {
			t.Fatalf("%v: %s", err, said)
		}
	}
	want := []string{"bin/upflab", "lib/systemd/system/upflab-serve.service", "lib/systemd/system/upflab-upf.service",
		"share/man/man1/upflab.1.gz",
		"share/zsh/vendor-completions/_upflab"}
	if got := below(t, prefix); !slices.Equal(got, want) {
		t.Errorf("it installs %v, not %v", got, want)
	}
	if unit, _ := os.ReadFile(filepath.Join(prefix, want[1])); string(unit) != "ExecStart="+prefix+"/bin/upflab serve\n" {
		t.Errorf("the service is %q", unit)
	}
}

// TestInstallerRefuses: an archive that is not the one in SHA256SUMS is not installed, and the reason is said.
func TestInstallerRefuses(t *testing.T) {
	release, prefix := recipeRelease(t), t.TempDir()
	archive := filepath.Join(release, released.archiveName(runtime.GOARCH))
	body, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ story, says string }{{"changed", "has another checksum"}, {"missing", "cannot get file://" + archive}} {
		if c.story == "changed" {
			err = os.WriteFile(archive, append(body, 0), 0o644)
		} else {
			err = os.Remove(archive)
		}
		if err != nil {
			t.Fatal(err)
		}
		if said, err := install(t, release, prefix); err == nil || !strings.Contains(said, c.says) || len(below(t, prefix)) > 0 {
			t.Errorf("%s: %v, %s, installed %v", c.story, err, said, below(t, prefix))
		}
	}
}

// TestPKGBUILD runs the recipe as makepkg does: it holds the archive's checksum, and package() makes the tree.
func TestPKGBUILD(t *testing.T) {
	release, work := recipeRelease(t), t.TempDir()
	c := exec.Command("bash", "-euc", `
. "$0/PKGBUILD"
[ "$pkgver $arch" = "1.2.3 $1" ]
source=source_$1 sum=sha256sums_$1
[ "${!source}" = "https://github.com/upflab/upflab/releases/download/v1.2.3/$2" ]
cd "$0" && echo "${!sum}  $2" | sha256sum --check --quiet
srcdir=$3/src pkgdir=$3/pkg
mkdir "$srcdir" "$pkgdir" && tar -xzf "$2" -C "$srcdir"
package`, release, machineNames[runtime.GOARCH], released.archiveName(runtime.GOARCH), work)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := []string{"usr/bin/upflab", "usr/lib/systemd/system/upflab-serve.service", "usr/lib/systemd/system/upflab-upf.service",
		"usr/share/doc/upflab-bin/README.md", "usr/share/doc/upflab-bin/SECURITY.md",
		"usr/share/doc/upflab-bin/grafana-dashboard.json", "usr/share/licenses/upflab-bin/LICENSE",
		"usr/share/man/man1/upflab.1.gz", "usr/share/zsh/site-functions/_upflab"}
	if got := below(t, filepath.Join(work, "pkg")); !slices.Equal(got, want) {
		t.Errorf("the package has %v, not %v", got, want)
	}
}
