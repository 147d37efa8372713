package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/objects"
)

// hold makes the run's lease, which owns all else, and renews it until ctx ends. One that
// cannot be renewed ends the run; then the function says why.
func (s *Session) hold(ctx context.Context, end func()) (lost func() error, err error) {
	leases := s.Core.CoordinationV1().Leases(s.plan.Namespace)
	l, err := leases.Create(ctx, s.maker.Lease(holder(), deadAfter*s.every), metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("make the lease of the run: %w", err)
	}
	s.maker.Owner = &metav1.OwnerReference{APIVersion: "coordination.k8s.io/v1", Kind: "Lease", Name: l.Name, UID: l.UID}
	var why atomic.Pointer[error]
	go func() {
		for last := time.Now(); ; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(s.every):
			}
			err := s.renew(ctx, l.Name)
			switch {
			case err == nil:
				last = time.Now()
			case apierrors.IsNotFound(err) || time.Since(last) > deadAfter*s.every:
				err = fmt.Errorf("the run's lease was lost: %w", err)
				why.Store(&err)
				end()
				return
			}
		}
	}()
	return func() error {
		if err := why.Load(); err != nil {
			return *err
		}
		return nil
	}, nil
}

// deadAfter renewals that do not come a run is dead.
const deadAfter = 4

func (s *Session) renew(ctx context.Context, name string) error {
	leases := s.Core.CoordinationV1().Leases(s.plan.Namespace)
	l, err := leases.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	now := metav1.NowMicro()
	l.Spec.RenewTime = &now
	_, err = leases.Update(ctx, l, metav1.UpdateOptions{})
	return err
}

// Clean removes the objects of killed runs: runs whose Lease is not renewed while Clean
// watches it, which is as long as a renewal may take. It compares no clocks.
func (s *Session) Clean(ctx context.Context) error {
	before, err := s.leases(ctx)
	if err != nil || len(before) == 0 {
		return err
	}
	s.say("looking whether other runs in namespace %s are alive", s.plan.Namespace)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(deadAfter * s.every):
	}
	after, err := s.leases(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for run, version := range before {
		if now, there := after[run]; there && now == version {
			errs = append(errs, s.remove(ctx, run))
			s.say("removed what the killed run %s left", run)
		}
	}
	return errors.Join(errs...)
}

// leases are those of runs, with their version.
func (r *reading) leases(ctx context.Context) (map[string]string, error) {
	list, err := r.Core.CoordinationV1().Leases(r.plan.Namespace).List(ctx,
		metav1.ListOptions{LabelSelector: objects.ManagedBy + "=" + objects.Manager})
	if err != nil {
		return nil, fmt.Errorf("look for what killed runs left: %w", err)
	}
	found := map[string]string{}
	for _, l := range list.Items {
		if run := l.Labels[objects.RunLabel]; run != "" {
			found[run] = renewed(&l)
		}
	}
	return found, nil
}

func renewed(l *coordinationv1.Lease) string {
	if l.Spec.RenewTime == nil {
		return ""
	}
	return l.Spec.RenewTime.Format(time.RFC3339Nano)
}

// remove removes all that a run made, its lease last, and waits until its pods are gone.
func (s *Session) remove(ctx context.Context, run string) error {
	m := objects.Maker{Plan: s.plan, Run: run}
	background := metav1.DeletePropagationBackground
	options := metav1.DeleteOptions{PropagationPolicy: &background}
	var errs []error
	if s.Dynamic != nil && s.hasJobSet() {
		errs = append(errs, s.Dynamic.Resource(objects.JobSets).Namespace(s.plan.Namespace).Delete(ctx, m.Name("hosts"), options))
	}
	jobs, err := s.jobs(ctx, run)
	errs = append(errs, err)
	for _, j := range jobs {
		errs = append(errs, s.Core.BatchV1().Jobs(s.plan.Namespace).Delete(ctx, j.Name, options))
	}
	for _, role := range []string{"hub", "passes"} {
		errs = append(errs, s.Core.CoreV1().Secrets(s.plan.Namespace).Delete(ctx, m.Name(role), options))
	}
	errs = append(errs, s.noPods(ctx, run))
	errs = slices.DeleteFunc(errs, func(err error) bool { return apierrors.IsNotFound(err) || onlyUnneeded(s, err) })
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("remove what the run %s made: %w", run, err)
	}
	if err := s.Core.CoordinationV1().Leases(s.plan.Namespace).Delete(ctx, "upflab-"+run, options); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("remove the lease of the run %s: %w", run, err)
	}
	return nil
}

// onlyUnneeded reports whether something was not allowed that the plan has no use for: a run
// without Secrets has no right to delete any.
func onlyUnneeded(s *Session, err error) bool {
	return err != nil && apierrors.IsForbidden(err) && !s.secrets() && strings.Contains(err.Error(), "secrets")
}

func (r *reading) jobs(ctx context.Context, run string) ([]batchv1.Job, error) {
	list, err := r.Core.BatchV1().Jobs(r.plan.Namespace).List(ctx, metav1.ListOptions{LabelSelector: objects.RunLabel + "=" + run})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// noPods waits until the pods of a run are gone.
func (r *reading) noPods(ctx context.Context, run string) error {
	for {
		list, err := r.pods(ctx, run, "")
		if err != nil || len(list) == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the pod %s does not end: is its node up?", list[0].Name)
		case <-time.After(r.poll):
		}
	}
}
