package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/text/units"
)

// Runner measures one job.
type Runner interface {
	// Run measures, with its files in dir: the result in dir/result, what it says in
	// dir/log.txt. It gives the exit status of `upflab run`. When ctx ends it stops and
	// removes what it made; that takes at most 8 s.
	Run(ctx context.Context, j fleet.Job, t fleet.Testbed, dir string) (status int, err error)
}

// Process runs `upflab run` in a process of its own, which is told to end when the agent
// is killed.
type Process struct {
	Program string // upflab's
	// Clean removes what a killed run left.
	Clean func()
	// Arguments are added to those of each run: how it reaches the hub, for measurements over
	// several hosts.
	Arguments []string
}

// stopFor is how long a run may take to remove what it made, before it is killed.
const stopFor = 7 * time.Second

// Run implements Runner: it starts `upflab run` with the scenario of the job and gives its exit
// status.
func (p Process) Run(ctx context.Context, j fleet.Job, t fleet.Testbed, dir string) (int, error) {
	if err := os.WriteFile(filepath.Join(dir, "scenario.yaml"), []byte(j.Scenario), 0o644); err != nil {
		return 0, err
	}
	out, err := os.Create(filepath.Join(dir, logName))
	if err != nil {
		return 0, err
	}
	defer out.Close()
	c := exec.CommandContext(ctx, p.Program, append(runArguments(j), p.Arguments...)...)
	c.Dir, c.Stdout, c.Stderr, c.Env = dir, out, out, append(os.Environ(), programs(j, t)...)
	c.Cancel = func() error { return c.Process.Signal(unix.SIGTERM) }
	c.WaitDelay = stopFor
	c.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGTERM, Setsid: true}
	child, err := host.LaunchApart(c)
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", p.Program, err)
	}
	err = child.Wait()
	if c.ProcessState.ExitCode() < 0 && p.Clean != nil { // killed
		p.Clean()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return c.ProcessState.ExitCode(), context.Cause(ctx)
	}
	return c.ProcessState.ExitCode(), nil
}

func runArguments(j fleet.Job) []string {
	args := []string{"run", "scenario.yaml", "--out", resultName}
	for _, d := range j.DUTs {
		name, _ := fleet.SplitVersion(d)
		args = append(args, "--dut", name)
	}
	if j.Packets > 0 {
		args = append(args, "--pcap="+strconv.Itoa(j.Packets))
	}
	return args
}

// programs are the variables that name the UPFs of certain versions.
func programs(j fleet.Job, t fleet.Testbed) (list []string) {
	for _, d := range j.DUTs {
		need := fleet.Need(d)
		if have, ok := t.Find(need); ok && have.Program != "" {
			list = append(list, "UPFLAB_"+strings.ToUpper(strings.ReplaceAll(have.Name, "-", "_"))+"="+have.Program)
		}
	}
	return list
}

// lastLine is what a run said last, for its error.
func lastLine(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, logName))
	if err != nil {
		return ""
	}
	const most = 500 // octets
	last := strings.TrimPrefix(units.LastLine(string(data)), "upflab: ")
	return last[:min(len(last), most)]
}
