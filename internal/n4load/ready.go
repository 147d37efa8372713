package n4load

import "context"

// Ready brings all sessions into the state that a procedure begins in, by a closed loop.
func (l *Load) Ready(ctx context.Context, p Procedure, window int) error {
	switch kinds[p].from {
	case gone:
		return l.each(ctx, window, Active, Delete)
	case idle:
		return l.each(ctx, window, Establish, Idle)
	}
	return l.each(ctx, window, Active, Establish)
}

// Half establishes half of the sessions, and deletes the others: what a mix begins with.
func (l *Load) Half(ctx context.Context, window int) error {
	if err := l.each(ctx, window, Active); err != nil {
		return err
	}
	half, have := len(l.pool.members)/2, l.Established()
	var err error
	if have < half {
		_, err = l.Drive(ctx, Establish, half-have, window)
	} else {
		_, err = l.Drive(ctx, Delete, have-half, window)
	}
	return err
}

// each does procedures one after the other, each on all sessions that it can be done on.
func (l *Load) each(ctx context.Context, window int, list ...Procedure) error {
	for _, p := range list {
		if _, err := l.Drive(ctx, p, len(l.pool.members), window); err != nil {
			return err
		}
	}
	return nil
}
