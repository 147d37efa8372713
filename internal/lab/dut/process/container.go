package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/text/units"
)

// container is what podman or docker runs for us.
type container struct {
	name  string
	pid   int // of the program, as this machine sees it
	image *dut.Image
	claim *host.Claim
}

// containedWithin is how long podman may take until the program runs.
const containedWithin = 30 * time.Second

// startContained runs the program by podman, which stays in the foreground: its
// output is the program's, and so is its end. The container outlives podman when
// that is killed, so it is in the claim by its name.
func startContained(s Spec) (*Process, error) {
	program := s.Args[0]
	c := &container{name: containerName(s.Site.Spec().Run, program), image: s.Image, claim: s.Site.Claim()}
	args, err := runArgs(s, c.name)
	if err != nil {
		return nil, fmt.Errorf("run %s from image %s: %w", program, s.Image.Name, err)
	}
	if err := c.claim.AddContainer(s.Image.Engine, c.name, s.Image.Docker); err != nil {
		return nil, err
	}
	s.Args, s.Env = args, engineEnv()
	p, err := launch(s)
	if err != nil {
		return nil, errors.Join(err, c.remove())
	}
	p.container = c
	if s.once { // its end is waited for; until then its name is in the claim
		return p, nil
	}
	if err := c.await(p, s.CPUs); err != nil {
		return nil, errors.Join(fmt.Errorf("run %s from image %s: %w; %s last said: %q", program, s.Image.Name, err,
			filepath.Base(s.Image.Engine[0]), lastWords(p.LogTail())), p.Stop())
	}
	return p, nil
}

// lastWords is the last line but for docker's advice to read its help.
func lastWords(log string) string {
	log, _, _ = strings.Cut(strings.TrimSpace(log), "\nSee 'docker")
	return units.LastLine(log)
}

// containerName is made of letters that podman takes.
func containerName(run, program string) string {
	return "upflab-" + run + "-" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(filepath.Base(program)))
}

// runArgs is the command line of the engine.
func runArgs(s Spec, name string) ([]string, error) {
	args := append(slices.Clone(s.Image.Engine), "run", "--rm", "--pull=never", "--name", name, "--privileged", "--user", "0")
	network, program, err := joinArgs(s)
	if err != nil {
		return nil, err
	}
	args = append(args, network...)
	limits, err := limitArgs()
	if err != nil {
		return nil, err
	}
	args = append(args, limits...)
	if len(s.CPUs) > 0 {
		args = append(args, "--cpuset-cpus", cpuList(s.CPUs))
	}
	folders := []string{filepath.Dir(s.Log), bpffs}
	for _, m := range s.Mounts {
		folders = append(folders, m.Target)
	}
	for _, folder := range folders {
		if folder, err = filepath.Abs(folder); err != nil {
			return nil, err
		}
		args = append(args, "--volume", folder+":"+folder)
	}
	if s.Dir != "" {
		args = append(args, "--workdir", s.Dir)
	}
	for _, e := range s.Env {
		args = append(args, "--env", e)
	}
	return append(append(args, s.Image.Name), program...), nil
}

// limitArgs hold the container to our own limits: podman's defaults are above what
// somebody without CAP_SYS_RESOURCE may ask for.
func limitArgs() (args []string, err error) {
	for _, l := range []struct {
		name     string
		resource int
		most     uint64
	}{{"nofile", unix.RLIMIT_NOFILE, 1 << 20}, {"nproc", unix.RLIMIT_NPROC, 1 << 15}} {
		var now unix.Rlimit
		if err := unix.Getrlimit(l.resource, &now); err != nil {
			return nil, fmt.Errorf("read the limit %s: %w", l.name, err)
		}
		most := min(now.Max, l.most)
		args = append(args, "--ulimit", fmt.Sprintf("%s=%d:%d", l.name, most, most))
	}
	return args, nil
}

func cpuList(cpus []int) string {
	text := make([]string, len(cpus))
	for i, cpu := range cpus {
		text[i] = strconv.Itoa(cpu)
	}
	return strings.Join(text, ",")
}

// await waits until the program runs, and keeps it on its CPUs, also where podman
// has no cgroups to do so.
func (c *container) await(p *Process, cpus []int) error {
	ctx, cancel := context.WithTimeout(context.Background(), containedWithin)
	defer cancel()
	const pause = 50 * time.Millisecond
	for {
		if c.pid = c.lookup(ctx); c.pid > 0 {
			return c.adopt(cpus)
		}
		select {
		case <-p.Exited():
			return errors.New(p.Status())
		case <-ctx.Done():
			return dut.Late(fmt.Errorf("it does not run after %v", containedWithin))
		case <-time.After(pause):
		}
	}
}

// lookup asks podman for the program's process; 0 when there is none yet.
func (c *container) lookup(ctx context.Context) int {
	command := append(slices.Clone(c.image.Engine), "container", "inspect", "--format", "{{.State.Pid}}", c.name)
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).Output()
	if err != nil {
		return 0
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(out)))
	return pid
}

// adopt writes the program down and pins what it has of threads. One that has
// ended is noticed as any other.
func (c *container) adopt(cpus []int) error {
	if err := c.claim.AddProcess(c.pid); err != nil {
		return fmt.Errorf("write down process %d: %w", c.pid, err)
	}
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", c.pid))
	for _, t := range tasks {
		tid, err := strconv.Atoi(t.Name())
		if err != nil || len(cpus) == 0 {
			continue
		}
		if err := threads.Pin(tid, cpus...); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
	return nil
}

func (c *container) remove() error {
	return errors.Join(c.claim.RemoveContainer(c.name), c.claim.DropProcess(c.pid))
}
