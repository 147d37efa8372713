package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/analysis/threshold"
	"github.com/upflab/upflab/internal/record"
)

// TestInstructions: the instructions of a program are the same in each repeat, in a virtual machine that the scenario asks for by itself.
func TestInstructions(t *testing.T) {
	takesLong(t)
	nothingLeft(t)
	kernel, dir := guestKernel(t), t.TempDir()
	if os.Getenv("UPFLAB_EMULATED") == "" {
		t.Skip("an emulated run takes minutes: UPFLAB_EMULATED=1 runs it")
	}
	c := upflab(t, []string{"run", "instructions", "--dut", "builtin:xdp", "--set", "vm.kernel=" + kernel, "--set", "repeats=2", "--out", dir,
		"--set", "thresholds=program_instructions_per_packet <= 1000, instructions_per_packet > 0"})
	if status := c.status(20 * time.Minute); status != 0 {
		t.Fatalf("exit status %d\n%s", status, c.said())
	}
	r := load(t, dir)
	programs := map[string]float64{}
	for _, d := range r.DUTs {
		for _, x := range d.Instructions {
			if !x.Valid || x.Each <= 0 && !d.Reference {
				t.Errorf("%s, %s: %v", d.Name, x.Name(), x)
			}
			key := d.Name + " " + x.Name()
			if before, known := programs[key]; known && x.Program != before {
				t.Errorf("%s: %v instructions of the program, and %v before", key, x.Program, before)
			}
			programs[key] = x.Program
		}
	}
	if len(programs) != 2+5 || programs["builtin uplink"] == 0 {
		t.Errorf("counted: %v", programs)
	}
}

// TestInstructionsRefused: what cannot be counted is refused before anything boots, in a line.
func TestInstructionsRefused(t *testing.T) {
	for says, args := range map[string][]string{
		"vm.cpus is 2":                {"--set", "vm.cpus=2"},
		"counts in a virtual machine": {"--site", "kubernetes"},
		"vm.nic is igb":               {"--set", "vm.nic=igb"},
		"says where your UPF is":      {"--dut", "external"},
	} {
		c := upflab(t, append([]string{"run", "instructions", "--dry-run"}, args...))
		if status := c.status(time.Minute); status != 2 {
			t.Errorf("%v: exit status %d, want 2 and %q\n%s", args, status, says, c.said())
		} else if !strings.Contains(c.said(), says) {
			t.Errorf("%v: %q is not in\n%s", args, says, c.said())
		}
	}
}

var boots = flag.Int("boots", 1, "how many virtual `MACHINES` TestInstructionsSeeAPercent boots for each datapath")

// halfAPercent are the thresholds by which builds of a datapath are compared, against one build.
var halfAPercent = map[string]string{"xdp": "program_instructions_per_packet <= 1.005 * %s", "tun": "instructions_per_packet <= 1.005 * %s"}

// slower are builds with so many more instructions in the XDP programs of N3 and of N6, 0.9 to 1.1 % of theirs, and rounds
// of a loop of six instructions more for each packet of the TUN datapath, 0.8 to 1.2 %.
var slower = map[string]string{"s1": "SEED_N3=5 SEED_N6=4 SEED_TUN=33", "s2": "SEED_N3=5 SEED_N6=5 SEED_TUN=36",
	"s3": "SEED_N3=6 SEED_N6=4 SEED_TUN=40", "s4": "SEED_N3=6 SEED_N6=5 SEED_TUN=44", "s5": "SEED_N3=5 SEED_N6=4 SEED_TUN=31"}

// TestInstructionsSeeAPercent: a gate of half a percent finds each build that takes about 1 % more instructions, and calls no
// two of the same source different, though their functions lie in another order.
func TestInstructionsSeeAPercent(t *testing.T) {
	takesLong(t)
	nothingLeft(t)
	kernel := guestKernel(t)
	if os.Getenv("UPFLAB_EMULATED") == "" {
		t.Skip("an emulated run takes minutes: UPFLAB_EMULATED=1 runs it")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("builds are made with go: ", err)
	}
	equal, seeded := builds(t)
	for mode, gate := range halfAPercent {
		t.Run(mode, func(t *testing.T) { seeAPercent(t, kernel, mode, gate, equal, seeded) })
	}
}

func seeAPercent(t *testing.T, kernel, mode, gate string, equal, seeded []string) {
	label := func(build string) string { return "builtin@" + filepath.Base(build) + ":" + mode }
	found, different, pairs := 0, 0, 0
	for boot := range *boots {
		dir := t.TempDir()
		args := []string{"run", "instructions", "--dut", "builtin:" + mode, "--set", "vm.kernel=" + kernel, "--out", dir, "--set", fmt.Sprint("seed=", boot+1)}
		for _, build := range slices.Concat(equal, seeded) {
			args = append(args, "--build", filepath.Base(build)+"="+build)
		}
		c := upflab(t, args)
		if status := c.status(time.Hour); status != 0 {
			t.Fatalf("exit status %d\n%s", status, c.said())
		}
		r := load(t, dir)
		for _, a := range equal {
			outcomes := judge(t, r, fmt.Sprintf(gate, label(a)))
			for _, b := range equal {
				if b != a {
					different += outcomes[label(b)][record.OutcomeFail]
					pairs += outcomes[label(b)][record.OutcomeFail] + outcomes[label(b)][record.OutcomePass]
				}
			}
		}
		for _, b := range seeded {
			found += judge(t, r, fmt.Sprintf(gate, label(equal[0])))[label(b)][record.OutcomeFail]
		}
	}
	t.Logf("%s: %d of %d slower builds found; %d of %d comparisons of equal builds called different", mode, found, 2*len(seeded)**boots, different, pairs)
	if all := 2 * len(seeded) * *boots; found < all-all/20 || different > 0 || pairs == 0 {
		t.Errorf("%s: %d of %d found, %d of %d called different", mode, found, all, different, pairs)
	}
}

// judge counts the outcomes of a threshold by DUT.
func judge(t *testing.T, r *record.Result, text string) map[string]map[record.Outcome]int {
	t.Helper()
	gate, err := threshold.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]map[record.Outcome]int{}
	for _, o := range gate.Check(r) {
		if counts[o.DUT] == nil {
			counts[o.DUT] = map[record.Outcome]int{}
		}
		counts[o.DUT][o.Outcome]++
	}
	return counts
}

// builds makes programs: of this source, their functions in another order each, and seeded to be slower.
func builds(t *testing.T) (equal, seeded []string) {
	dir := t.TempDir()
	compile := func(name string, flags ...string) string {
		path := filepath.Join(dir, name)
		c := exec.Command("go", slices.Concat([]string{"build", "-buildvcs=false", "-o", path}, flags, []string{"../../cmd/upflab"})...)
		c.Env = append(os.Environ(), "CGO_ENABLED=0")
		if said, err := c.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", name, err, said)
		}
		return path
	}
	for n := range 4 {
		equal = append(equal, compile(fmt.Sprint("e", n), fmt.Sprint("-ldflags=-randlayout=", n)))
	}
	program := compile("seedable", "-overlay", overlay(t, dir))
	for name, seeds := range slower {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, fmt.Appendf(nil, "#!/bin/sh\n%s exec %s \"$@\"\n", seeds, program), 0o755); err != nil {
			t.Fatal(err)
		}
		seeded = append(seeded, path)
	}
	slices.Sort(seeded)
	return equal, seeded
}

// overlay is a source in which the datapaths do more, by the environment: see slower.
func overlay(t *testing.T, dir string) string {
	replaced := map[string]string{}
	for file, changes := range map[string][]string{
		"../../upf/datapath/xdp/upf_bpfel.go": {
			"\t\"github.com/cilium/ebpf\"\n", "\t\"os\"\n\t\"strconv\"\n\n\t\"github.com/cilium/ebpf\"\n\t\"github.com/cilium/ebpf/asm\"\n",
			"\treturn spec, err\n", seedPrograms + "\treturn spec, err\n"},
		"../../upf/datapath/tun/worker.go": {
			"\t\"net/netip\"\n", "\t\"net/netip\"\n\t\"os\"\n\t\"strconv\"\n",
			"\tw.tpdus, w.strays = w.tpdus[:0], w.strays[:0]\n", "\tburn()\n\tw.tpdus, w.strays = w.tpdus[:0], w.strays[:0]\n",
			"\tsent, lost := 0, 0\n", "\tburn()\n\tsent, lost := 0, 0\n",
			"// run works until", seedLoop + "\n// run works until"},
	} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(source)
		for i := 0; i < len(changes); i += 2 {
			if !strings.Contains(text, changes[i]) {
				t.Fatalf("%s has no %q any more: seed it elsewhere", file, changes[i])
			}
			text = strings.Replace(text, changes[i], changes[i+1], 1)
		}
		real, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		replaced[real] = filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(replaced[real], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(path, list, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// seedPrograms puts instructions behind the first one of a program, where nothing jumps to.
const seedPrograms = `	for name, text := range map[string]string{"upf_n3": os.Getenv("SEED_N3"), "upf_n6": os.Getenv("SEED_N6")} {
		n, _ := strconv.Atoi(text)
		p := spec.Programs[name]
		for range n {
			p.Instructions = append(p.Instructions[:1:1], append(asm.Instructions{asm.Mov.Imm(asm.R0, 7)}, p.Instructions[1:]...)...)
		}
	}
`

const seedLoop = `
var rounds, _ = strconv.Atoi(os.Getenv("SEED_TUN"))

var sink uint64

//go:noinline
func burn() {
	x := uint64(1)
	for range rounds {
		x = x*3 + 1
	}
	sink = x
}
`
