package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/enginetest"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/text/wait"
)

func TestContainerName(t *testing.T) {
	for program, want := range map[string]string{
		"eupf": "upflab-ab2de-eupf", "/opt/Open5GS/open5gs-upfd": "upflab-ab2de-open5gs-upfd", "/bin/oai_upf": "upflab-ab2de-oai-upf",
	} {
		if got := containerName("ab2de", program); got != want {
			t.Errorf("%s: %s, want %s", program, got, want)
		}
	}
}

// podman stands for podman: what it runs is a sleep, whose process it tells.
const podman = `#!/bin/sh
dir=$(dirname "$0")
case "$1 $2" in
"run --rm")
	echo "$@" > "$dir/run"
	sleep 60 & echo $! > "$dir/pid"
	trap 'kill $(cat "$dir/pid"); exit 143' TERM
	wait ;;
"container inspect") cat "$dir/pid" ;;
"container exists") [ -e "$dir/pid" ] ;;
"rm --force") rm -f "$dir/pid"; echo "$@" > "$dir/rm" ;;
esac
`

// What podman is asked, and that nothing is left.
func TestContained(t *testing.T) {
	tb := sitetest.Build(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "podman")
	if err := os.WriteFile(path, []byte(podman), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := Start(Spec{
		Site: tb, Args: []string{"upfd", "-c", "upf.yaml"}, Env: []string{"A=1"}, CPUs: []int{0},
		Log: filepath.Join(dir, "log"), Dir: dir, Image: &dut.Image{Engine: []string{path}, Name: "localhost/upf:1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	pids := p.PIDs()
	if len(pids) != 1 || pids[0] == p.PID() || !runs(pids[0]) {
		t.Errorf("its processes are %v, podman's %d", pids, p.PID())
	}
	asked, _ := os.ReadFile(filepath.Join(dir, "run"))
	for _, want := range []string{
		"--name upflab-" + tb.Spec().Run + "-upfd ", "--network ns:" + tb.UPF().Path() + " ", "--cpuset-cpus 0 ",
		"--volume " + dir + ":" + dir + " ",
		"--volume /sys/fs/bpf:/sys/fs/bpf ", "--env A=1 ", "--entrypoint upfd ", "--pull=never ", " localhost/upf:1 -c upf.yaml\n",
	} {
		if !strings.Contains(string(asked), want) {
			t.Errorf("podman was asked %q, which has no %q", asked, want)
		}
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	ended := func() bool { return !slices.ContainsFunc(pids, runs) }
	if !wait.Until(5*time.Second, 10*time.Millisecond, ended) { // it was sent SIGTERM just now
		t.Errorf("process %v is left", pids)
	}
	if removed, _ := os.ReadFile(filepath.Join(dir, "rm")); !strings.Contains(string(removed), "upflab-"+tb.Spec().Run+"-upfd") {
		t.Errorf("podman was asked to remove %q", removed)
	}
}

// Docker's container starts without a network, and with upflab, which joins the UPF's.
func TestDockerArguments(t *testing.T) {
	tb := sitetest.Build(t)
	args, err := runArgs(Spec{Site: tb, Args: []string{"upfd", "-c", "upf.yaml"}, Log: filepath.Join(t.TempDir(), "log"),
		Image: &dut.Image{Engine: []string{"docker"}, Docker: true, Name: "localhost/upf:1"}}, "upflab-x-upfd")
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Join(args, " ")
	for _, want := range []string{
		"docker run --rm --pull=never --name upflab-x-upfd --privileged ", " --network none ", " --entrypoint /.upflab/upflab ",
		":/.upflab/upflab:ro ", " --volume " + tb.UPF().Path() + ":/.upflab/net ", " localhost/upf:1 enter -- upfd -c upf.yaml",
	} {
		if !strings.Contains(line, want) {
			t.Errorf("docker is asked %q, which has no %q", line, want)
		}
	}
}

func TestLastWords(t *testing.T) {
	const log = "docker: no such thing\nSee 'docker run --help'.\n"
	if got := lastWords(log); got != "docker: no such thing" {
		t.Errorf("%q", got)
	}
}

// A program that cannot be run is told by podman's last words.
func TestNotContained(t *testing.T) {
	tb := sitetest.Build(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "podman")
	script := "#!/bin/sh\n[ \"$1\" = run ] && echo 'Error: no upfd in the image' && exit 127\n[ \"$2\" = exists ] && exit 1\nexit 125\n"
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Start(Spec{
		Site: tb, Args: []string{"upfd"}, CPUs: []int{0}, Log: filepath.Join(dir, "log"),
		Image: &dut.Image{Engine: []string{path}, Name: "localhost/upf:1"},
	})
	for _, w := range []string{"upfd from image localhost/upf:1", "exit status 127", "no upfd in the image"} {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("the error %v does not say %q", err, w)
		}
	}
}

// inContainer is a shell script as a part that is run from an image.
func inContainer(t *testing.T, e enginetest.Engine, dir, name, script string) Part {
	t.Helper()
	if err := os.WriteFile(filepath.Join(e.Programs, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return Part{Name: name, Spec: Spec{Args: []string{name, "a b"}, Log: filepath.Join(dir, name+".log"),
		Image: &dut.Image{Engine: []string{e.Path}, Name: "localhost/" + name}}}
}

// Several programs, each in a container: one after another, and none is left.
func TestGroupContained(t *testing.T) {
	tb, dir, e := sitetest.Build(t), t.TempDir(), enginetest.Podman(t)
	daemon := inContainer(t, e, dir, "daemon", "readlink /proc/self/ns/net; echo up; exec sleep 60")
	daemon.Ready = func() error {
		if text, _ := os.ReadFile(filepath.Join(dir, "daemon.log")); !strings.Contains(string(text), "up") {
			return errors.New("it is not up")
		}
		return nil
	}
	setup := inContainer(t, e, dir, "setup", "echo set up for $1")
	setup.Once = true
	g := group(t, tb, false, daemon, setup, inContainer(t, e, dir, "control", "exec sleep 60"))
	if ran := e.Ran(); len(ran) != 3 || ran[0] != "localhost/daemon daemon a b" || ran[1] != "localhost/setup setup a b" {
		t.Errorf("%q were run", ran)
	}
	if pids := g.PIDs(); len(pids) != 2 || g.PID("daemon") != pids[0] || !runs(pids[0]) || !runs(pids[1]) {
		t.Errorf("processes %v, of which %d is the daemon", pids, g.PID("daemon"))
	}
	number, err := tb.UPF().Inode()
	if text, _ := os.ReadFile(filepath.Join(dir, "daemon.log")); err != nil || !strings.Contains(string(text), fmt.Sprint(number)) {
		t.Errorf("the daemon is in %q, not in %d: %v", text, number, err)
	}
	if err := g.Stop(); err != nil {
		t.Error(err)
	}
	if left := e.Containers(); len(left) > 0 {
		t.Errorf("containers %v are left", left)
	}
}

// What does not start, or fails, is told, and the containers before it are removed.
func TestGroupContainedErrors(t *testing.T) {
	tb, dir, e := sitetest.Build(t), t.TempDir(), enginetest.Podman(t)
	daemon := inContainer(t, e, dir, "daemon", "exec sleep 60")
	fails := inContainer(t, e, dir, "setup", "echo no such port; exit 1")
	fails.Once = true
	absent := Part{Name: "none", Once: true, Spec: Spec{Args: []string{"none"}, Log: filepath.Join(dir, "none.log"), Image: daemon.Spec.Image}}
	for want, part := range map[string]Part{
		`setup: exit status 1; it last said: "no such port"`:  fails,
		"none: exit status 127; it last said: \"Error: execu": absent,
	} {
		_, err := StartGroup(t.Context(), GroupSpec{Site: tb, Parts: []Part{daemon, part}, Dir: dir})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q in it", err, want)
		}
		if left := e.Containers(); len(left) > 0 {
			t.Errorf("containers %v are left", left)
		}
	}
}
