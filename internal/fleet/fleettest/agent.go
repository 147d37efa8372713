package fleettest

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/fleet/agent"
)

// agentVariable makes a test program an agent: its pass, its folder, and how long its runs take.
const agentVariable = "UPFLAB_TEST_AGENT"

// BeAgent serves a testbed until it is killed, in a program that KillableAgent started, or with
// AgentEnvironment.
func BeAgent() bool {
	f := strings.Fields(os.Getenv(agentVariable))
	if len(f) != 3 {
		return false
	}
	p, err := fleet.ReadPass(f[0])
	if err != nil {
		fmt.Println("failed:", err)
		return true
	}
	length, _ := time.ParseDuration(f[2])
	go func() { // the test has ended, whatever ended it
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	err = agent.Serve(context.Background(), agent.Config{
		Access: fleet.Access{Pass: &p, Name: p.Name}, Testbed: testbedOf(p.Name, p.Name), Dir: f[1],
		Runner: agent.Simulated{For: length, Version: Version, Begun: func(j fleet.Job) { fmt.Println("begun", j.ID) }},
		Notice: func(text string) { fmt.Fprintln(os.Stderr, text) },
	})
	fmt.Println("ended:", err)
	return true
}

// AgentEnvironment is the variable that makes a test program an agent.
func AgentEnvironment(pass, dir string, run time.Duration) string {
	return fmt.Sprintf("%s=%s %s %s", agentVariable, pass, dir, run)
}

func testbedOf(name, agent string) fleet.Testbed {
	return fleet.Testbed{Name: name, Agent: agent, Host: "host-" + agent, Protocol: fleet.Protocol, Version: Version,
		DUTs: []fleet.Installed{{Name: "builtin"}}}
}

// KillableAgent is an agent, for a testbed of its name, in a separate process. begun waits
// for its first run and gives the job's ID; kill is SIGKILL.
func (l *Lab) KillableAgent(name string) (begun func() string, kill func()) {
	l.t.Helper()
	c, out := child(l.t, AgentEnvironment(l.passFile(name, name), filepath.Join(l.t.TempDir(), "agent"), time.Hour))
	kill = func() { killChild(c) }
	l.t.Cleanup(kill)
	return func() string {
		line, _ := out.ReadString('\n')
		job, ok := strings.CutPrefix(strings.TrimSpace(line), "begun ")
		if !ok {
			l.t.Fatalf("the agent said %q", line)
		}
		return job
	}, kill
}
