package container

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// inImage is a driver that records what it was started with.
type inImage struct {
	info dut.Info
	env  *dut.Env
}

func (d inImage) Info() dut.Info           { return d.info }
func (inImage) Installed() (string, error) { return "", nil }
func (d inImage) Start(_ context.Context, env dut.Env) (*dut.Instance, error) {
	*d.env = env
	return &dut.Instance{
		Program: dut.Resident{}, Endpoint: dut.Endpoint{Remarks: []string{"its own"}},
		Drops:    func() ([]record.Count, error) { return nil, nil },
		Accounts: dut.Accounts{Read: func() ([]dut.Counter, error) { return []dut.Counter{{Name: "packets", Value: 7}}, nil }},
		Work:     func() (dut.Work, error) { return dut.Work{Busy: 1, Total: 2}, nil },
		Meter:    func() (dut.Meter, error) { return dut.Meter{Source: "elsewhere"}, nil },
	}, nil
}

func all(got *dut.Env) []dut.Driver {
	return []dut.Driver{
		inImage{dut.Info{Name: "hardware"}, got},
		inImage{dut.Info{Name: "upf", Modes: []string{"tun", "tap"}, Contained: true, MaxSessions: 512,
			OuterHeaders: true, Remarks: []string{"of the driver"}}, got},
	}
}

// target is a UPF in a container.
func target(t *testing.T, of []dut.Driver, mode string) dut.Target {
	t.Helper()
	x, err := dut.In(Way{}, of, mode)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// fakePodman answers as podman 4.3.1 does.
func fakePodman(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "podman")
	script := `#!/bin/sh
case "$*" in
*--version) echo "podman version 4.3.1" ;;
*"image inspect --format {{.Id}} localhost/upf:1") echo 2259addecbeddc738a0928bef0da8e18 ;;
*"image inspect --format {{.Id}} registry.example.org/upf:2") [ -e "$0.pulled" ] && echo sha256:77 && exit; echo "Error: no such image" >&2; exit 125 ;;
*"pull registry.example.org/upf:2") touch "$0.pulled" ;;
*) echo "Error: no such image" >&2; exit 125 ;;
esac
`
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(variable, path+" --runtime runc")
	return path
}

func TestModes(t *testing.T) {
	for mode, want := range map[string]string{
		"upf": "", "upf:tap": "",
		"":         "container:upf; there are: upf",
		"hardware": "container:upf; there are: upf", // which runs in none
		"upf:dpdk": `upf has no mode "dpdk"; it has: tun, tap`,
	} {
		_, err := dut.In(Way{}, all(nil), mode)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", mode, err, want)
		}
	}
}

func TestStart(t *testing.T) {
	path := fakePodman(t)
	var got dut.Env
	s := &scenario.Scenario{Container: &scenario.Container{Image: "localhost/upf:1", Program: "/opt/upf"}}
	x := target(t, all(&got), "upf")
	if x.Label() != "container:upf" {
		t.Errorf("it is called %s", x.Label())
	}
	i, err := x.Start(context.Background(), dut.Env{Scenario: s})
	if err != nil {
		t.Fatal(err)
	}
	if got.Mode != "tun" || got.Image == nil || got.Image.Name != "localhost/upf:1" ||
		!slices.Equal(got.Image.Engine, []string{path, "--runtime", "runc"}) {
		t.Errorf("it was started with %+v, %+v", got, got.Image)
	}
	if command, err := got.Find(dut.Info{}, "upf"); err != nil || !slices.Equal(command, []string{"/opt/upf"}) {
		t.Errorf("its program is %q, %v", command, err)
	}
	want := []string{"upf runs from image localhost/upf:1 (2259addecbed) by podman, privileged, in the UPF's namespace.", "its own"}
	if r := i.Endpoint.Remarks; !slices.Equal(r, want) {
		t.Errorf("the remarks are %q", r)
	}
	checkWhole(t, i)
	if info := x.Info(); info.MaxSessions != 512 || !info.OuterHeaders || !slices.Equal(info.Remarks, []string{"of the driver"}) {
		t.Errorf("its driver's facts are lost: %+v", info)
	}
}

// checkWhole wants all that the UPF reports of itself: a container hides none of it.
func checkWhole(t *testing.T, i *dut.Instance) {
	t.Helper()
	for name, f := range reflect.ValueOf(*i).Fields() {
		if f.Kind() == reflect.Func && f.IsNil() {
			t.Fatalf("%s is lost", name.Name)
		}
	}
	if list, err := i.Accounts.Read(); err != nil || len(list) != 1 || list[0].Value != 7 {
		t.Errorf("its counters are %v, %v", list, err)
	}
}

func TestRefused(t *testing.T) {
	fakePodman(t)
	for why, c := range map[string]struct {
		container *scenario.Container
		words     []string
	}{
		"no image":     {nil, []string{"no published image of upf", "container.image", "podman images"}},
		"not here":     {&scenario.Container{Image: "elsewhere/upf"}, []string{"elsewhere/upf", "no such image", "--pull", "podman pull"}},
		"another upf1": {&scenario.Container{Image: "localhost/upf:2"}, []string{"localhost/upf:2"}},
	} {
		_, err := target(t, all(&dut.Env{}), "upf").Start(context.Background(), dut.Env{Scenario: &scenario.Scenario{Container: c.container}})
		for _, w := range c.words {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: the error %v does not say %q", why, err, w)
			}
		}
	}
}

// Without an image of the user's, the published one is taken, and downloaded when that
// is allowed.
func TestPublished(t *testing.T) {
	fakePodman(t)
	var got dut.Env
	of := []dut.Driver{inImage{dut.Info{Name: "upf", Contained: true,
		Published: dut.Published{Image: "registry.example.org/upf:2", Program: "/app/upf"}}, &got}}
	start := func(c *scenario.Container) error {
		_, err := target(t, of, "upf").Start(context.Background(), dut.Env{Scenario: &scenario.Scenario{Container: c}})
		return err
	}
	if err := start(nil); err == nil || !strings.Contains(err.Error(), "--pull") {
		t.Errorf("an image was downloaded, or the error says not how: %v", err)
	}
	if err := start(&scenario.Container{Pull: true}); err != nil || got.Image.Name != "registry.example.org/upf:2" ||
		got.Image.Program != "/app/upf" {
		t.Errorf("%+v, %v", got.Image, err)
	}
	if err := start(nil); err != nil { // it is there now
		t.Error(err)
	}
	if how := of[0].Info().Get(); how != "sudo upflab run --pull --dut container:upf" {
		t.Errorf("how to get it: %q", how)
	}
}

// A UPF of several programs has two images, or one that has all of them.
func TestSeveral(t *testing.T) {
	fakePodman(t)
	var got dut.Env
	of := []dut.Driver{inImage{dut.Info{Name: "upf", Contained: true, Several: true,
		Published: dut.Published{Image: "localhost/upf:1", Control: "registry.example.org/upf:2"}}, &got}}
	start := func(c scenario.Container) (string, error) {
		i, err := target(t, of, "upf").Start(context.Background(), dut.Env{Scenario: &scenario.Scenario{Container: &c}})
		if err != nil {
			return "", err
		}
		return i.Endpoint.Remarks[0], nil
	}
	if _, err := start(scenario.Container{}); err == nil || !strings.Contains(err.Error(), "registry.example.org/upf:2") {
		t.Errorf("without the second image: %v", err)
	}
	remark, err := start(scenario.Container{Pull: true})
	if err != nil || got.Image.ForControl().Name != "registry.example.org/upf:2" ||
		!strings.Contains(remark, "localhost/upf:1 (2259addecbed) and registry.example.org/upf:2 (77)") {
		t.Errorf("%+v, %q, %v", got.Image, remark, err)
	}
	if _, err := start(scenario.Container{Image: "localhost/upf:1"}); err != nil || got.Image.ForControl() != got.Image {
		t.Errorf("one image: %+v, %v", got.Image, err)
	}
	if _, err := start(scenario.Container{Program: "/opt/upf"}); err == nil || !strings.Contains(err.Error(), "container.program") {
		t.Errorf("one program of several: %v", err)
	}
	of = all(&got)
	if _, err := start(scenario.Container{Image: "localhost/upf:1", Control: "localhost/upf:1"}); err == nil ||
		!strings.Contains(err.Error(), "container.control") {
		t.Errorf("a second image of one program: %v", err)
	}
}

// Docker is taken where there is no podman.
func TestDocker(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho 'Docker version 28.2.2, build e6534b4'\n"
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(variable, "")
	t.Setenv("PATH", dir)
	e, err := find(dut.Info{})
	if err != nil || !e.docker {
		t.Fatalf("%+v, %v", e, err)
	}
	if v, err := e.version(); err != nil || v != "docker 28.2.2" {
		t.Errorf("%q, %v", v, err)
	}
}

func TestInstalled(t *testing.T) {
	fakePodman(t)
	if v, err := (Way{}).Installed(); err != nil || v != "podman 4.3.1" {
		t.Errorf("%q, %v", v, err)
	}
	t.Setenv(variable, "")
	t.Setenv("PATH", t.TempDir())
	if _, err := (Way{}).Installed(); err == nil || !strings.Contains(err.Error(), "https://podman.io") {
		t.Errorf("without podman: %v", err)
	}
}
