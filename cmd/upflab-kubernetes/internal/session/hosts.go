package session

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/objects"
	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/rights"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/scratch"
)

// startHosts starts the hub, generators and the sink, and waits until they take part.
func (s *Session) startHosts(ctx context.Context) error {
	hub, passes, err := s.keys(ctx)
	if err != nil {
		return err
	}
	if err := s.makeSecret(ctx, "hub", hub); err != nil {
		return err
	}
	if err := s.makeJob(ctx, s.maker.HubJob()); err != nil {
		return err
	}
	at, err := s.running(ctx, record.RoleHub)
	if err != nil {
		return err
	}
	s.say("hub       pod %s on node %s", at.Name, at.Spec.NodeName)
	for name, pass := range passes {
		if passes[name], err = addressed(pass, at.Status.PodIP); err != nil {
			return err
		}
	}
	if s.work.Scenario != nil {
		passes[objects.ScenarioFile] = s.work.Scenario
	}
	if err := s.makeSecret(ctx, "passes", passes); err != nil {
		return err
	}
	if err := s.says(ctx, at.Name, "start a campaign:"); err != nil {
		return err
	}
	return s.joinHosts(ctx)
}

func (s *Session) joinHosts(ctx context.Context) error {
	var jobs []*batchv1.Job
	for i := range s.plan.Hosts() {
		jobs = append(jobs, s.maker.HostJob(i))
	}
	if err := s.makeHosts(ctx, jobs); err != nil {
		return err
	}
	for i := range s.plan.Hosts() {
		name := s.plan.HostName(i)
		pod, err := s.running(ctx, name)
		if err != nil {
			return err
		}
		s.say("%-9s pod %s on node %s", name, pod.Name, pod.Spec.NodeName)
		if err := s.says(ctx, pod.Name, "serving testbed"); err != nil {
			return err
		}
		s.noteEnd(i, pod)
	}
	return nil
}

// noteEnd takes the address of gNB or data network from the pod that is it. The i-th generator
// has to have the address n3.gnb + i.
func (s *Session) noteEnd(i int, pod *corev1.Pod) {
	if s.plan.UPF == nil || i > 0 && i < len(s.plan.Generators) {
		return
	}
	key := "n3.gnb"
	if i == len(s.plan.Generators) {
		key = "n6.dn"
	}
	if a, err := addressOf(pod, s.plan.Hosts()[i].Device); err == nil {
		s.ends = append(s.ends, key+"="+a.String())
	}
}

// makeHosts makes the jobs, as one JobSet where the cluster has it and allows it.
func (s *Session) makeHosts(ctx context.Context, jobs []*batchv1.Job) error {
	if s.hasJobSet() {
		missing, err := rights.Check(ctx, s.Core, []rights.Right{rights.JobSets(s.plan)})
		if err != nil {
			return err
		}
		if len(missing) == 0 {
			return s.makeJobSet(ctx, jobs)
		}
		s.say("Jobs instead of a JobSet: %s", missing[0].Error())
	}
	for _, j := range jobs {
		if err := s.makeJob(ctx, j); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) makeJobSet(ctx context.Context, jobs []*batchv1.Job) error {
	set, err := s.maker.JobSet(jobs)
	if err != nil {
		return err
	}
	if _, err := s.Dynamic.Resource(objects.JobSets).Namespace(s.plan.Namespace).Create(ctx, set, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("make the JobSet: %w", err)
	}
	s.made = "JobSet"
	return nil
}

// hasJobSet reports whether the cluster has JobSet.
func (r *reading) hasJobSet() bool {
	list, err := r.Core.Discovery().ServerResourcesForGroupVersion(objects.JobSets.GroupVersion().String())
	if err != nil && !apierrors.IsNotFound(err) || list == nil {
		return false
	}
	for _, one := range list.APIResources {
		if one.Name == objects.JobSets.Resource {
			return true
		}
	}
	return false
}

// keys makes the keys of the hub and of each agent, by `upflab hub add`. They are for this run
// only and are not stored.
func (s *Session) keys(ctx context.Context) (hub, passes map[string][]byte, err error) {
	_, _ = scratch.Clean() // keys of a process that was killed
	folder, err := scratch.New("keys")
	if err != nil {
		return nil, nil, err
	}
	defer folder.Close()
	dir := folder.Path
	var names []string
	for i := range s.plan.Hosts() {
		names = append(names, s.plan.HostName(i))
	}
	lead := []string{"lead"}
	for _, n := range names {
		lead = append(lead, "--with", n)
	}
	passes = map[string][]byte{}
	for _, member := range append([][]string{lead}, one(names)...) {
		out := filepath.Join(dir, objects.PassFile(member[0]))
		args := append([]string{"hub", "add", "--dir", filepath.Join(dir, "hub"), "--hub",
			fmt.Sprintf("hub:%d", objects.HubPort), "--out", out}, member...)
		if said, err := exec.CommandContext(ctx, s.work.Upflab, args...).CombinedOutput(); err != nil {
			return nil, nil, fmt.Errorf("make the keys of the run: %s %s: %w: %s", s.work.Upflab, strings.Join(args, " "), err, said)
		}
		if passes[objects.PassFile(member[0])], err = os.ReadFile(out); err != nil {
			return nil, nil, err
		}
	}
	hub, err = readFolder(filepath.Join(dir, "hub"))
	delete(hub, "operator.pass") // the hub does not need it
	return hub, passes, err
}

func one(names []string) (list [][]string) {
	for _, n := range names {
		list = append(list, []string{n})
	}
	return list
}

// readFolder reads the files of a folder that are not empty.
func readFolder(dir string) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if len(b) > 0 {
			files[e.Name()] = b
		}
	}
	return files, nil
}

// addressed gives a pass the address of the hub, which is known when its pod runs.
func addressed(pass []byte, ip string) ([]byte, error) {
	var p map[string]any
	if err := json.Unmarshal(pass, &p); err != nil {
		return nil, fmt.Errorf("read a pass that upflab made: %w", err)
	}
	if strings.Contains(ip, ":") {
		ip = "[" + ip + "]"
	}
	p["urls"] = []string{fmt.Sprintf("tls://%s:%d", ip, objects.HubPort)}
	return json.Marshal(p)
}

// says waits until a pod's log has a text.
func (s *Session) says(ctx context.Context, pod, text string) error {
	limited, stop := context.WithTimeout(ctx, s.plan.StartWithin.Duration)
	defer stop()
	for {
		log := s.log(limited, pod)
		if strings.Contains(log, text) {
			return nil
		}
		p, err := s.pod(limited, pod)
		if err == nil && ended(p) {
			return fmt.Errorf("the pod %s has ended: %s", pod, lastLines(log))
		}
		select {
		case <-limited.Done():
			return fmt.Errorf("the pod %s runs, but is not ready: %s", pod, lastLines(log))
		case <-time.After(s.poll):
		}
	}
}

// log reads the log of a pod up to now.
func (r *reading) log(ctx context.Context, pod string) string {
	body, err := r.Logs(ctx, pod, false)
	if err != nil {
		return ""
	}
	defer body.Close()
	const most = 8 << 20
	b, _ := io.ReadAll(io.LimitReader(body, most))
	return string(b)
}

// lastLines are the last of a log, for an error.
func lastLines(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	if len(lines) == 1 && lines[0] == "" {
		return "it said nothing"
	}
	const few = 5
	return strings.Join(lines[max(0, len(lines)-few):], "; ")
}
