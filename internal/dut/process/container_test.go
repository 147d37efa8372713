package process

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/site/sitetest"
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
		"--name upflab-" + tb.Spec().Run + "-upfd ", "--network ns:" + tb.UPF().Path() + " ", "--cpuset-cpus 0 ", "--volume " + dir + ":" + dir + " ",
		"--volume /sys/fs/bpf:/sys/fs/bpf ", "--env A=1 ", "--entrypoint upfd ", "--pull=never ", " localhost/upf:1 -c upf.yaml\n",
	} {
		if !strings.Contains(string(asked), want) {
			t.Errorf("podman was asked %q, which has no %q", asked, want)
		}
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	for end := time.Now().Add(5 * time.Second); slices.ContainsFunc(pids, runs) && time.Now().Before(end); { // it was sent SIGTERM just now
		time.Sleep(10 * time.Millisecond)
	}
	if slices.ContainsFunc(pids, runs) {
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
