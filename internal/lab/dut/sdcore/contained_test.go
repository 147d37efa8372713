package sdcore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/enginetest"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/record"
)

// imageVariable names an image for podman itself, in which links to this test program have
// the names of SD-Core's programs.
const imageVariable = "UPFLAB_TEST_SDCORE_IMAGE"

// stubs are SD-Core's programs in an image, as podman or what stands for it knows them.
func stubs(t *testing.T) (e enginetest.Engine, image dut.Image) {
	t.Helper()
	if name := os.Getenv(imageVariable); name != "" {
		return e, dut.Image{Engine: strings.Fields(os.Getenv("UPFLAB_CONTAINER")), Name: name, Control: name}
	}
	e = enginetest.Podman(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bessd", "bessctl", "pfcpiface", "route_control.py"} {
		if err := os.Symlink(self, filepath.Join(e.Programs, name)); err != nil {
			t.Fatal(err)
		}
	}
	return e, dut.Image{Engine: []string{e.Path}, Name: "localhost/bess:1", Control: "localhost/pfcpiface:1"}
}

// Four programs from two images are one UPF, which counts, works, and goes.
func TestContained(t *testing.T) {
	tb := sitetest.Build(t)
	e, image := stubs(t)
	en := env(afPacket, 1)
	en.Site, en.Image, en.CPUs, en.Dir = tb, &image, []int{0}, t.TempDir()
	en.Scenario.N3.UPF, en.Scenario.N4.UPF = tb.Links().UPFN3.Addr, tb.Links().UPFN4.Addr
	i, err := Driver{}.Start(t.Context(), en)
	if err != nil {
		t.Fatal(err)
	}
	if ran := e.Ran(); e.Path != "" && (len(ran) != 4 || !strings.HasPrefix(ran[0], "localhost/bess:1 bessd -f ") ||
		ran[1] != "localhost/bess:1 bessctl run up4" ||
		!strings.HasPrefix(ran[2], "localhost/pfcpiface:1 pfcpiface ") ||
		ran[3] != "localhost/bess:1 /opt/bess/bessctl/conf/route_control.py -i "+tb.Links().UPFN3.Name+" "+tb.Links().UPFN6.Name) {
		t.Errorf("%q were run", ran)
	}
	if pids := i.PIDs(); len(pids) != 3 {
		t.Errorf("its processes are %v, wanted three", pids)
	}
	drops, err := i.Drops()
	if err != nil || !slices.Contains(drops, record.Count{Place: "BESS: badPkts", Packets: 7}) {
		t.Errorf("its drops are %v, %v", drops, err)
	}
	if w, err := i.Work(); err != nil || w.Total <= 0 {
		t.Errorf("its work is %+v, %v", w, err)
	}
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
	if e.Path != "" && len(e.Containers()) > 0 {
		t.Errorf("containers %v are left", e.Containers())
	}
}
