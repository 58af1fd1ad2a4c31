//! Divides the process's file descriptors, so that agents cannot take those of the operator.
//!
//! See docs/decisions/0037-reserves-for-the-operator.md.

use crate::Plane;
use crate::limits;
use rustix::process::{Resource, getrlimit};

/// How many connections each listener accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConnectionLimits {
    agents: PlaneLimits,
    operator: PlaneLimits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlaneLimits {
    pub socket: usize,
    pub port: usize,
}

impl ConnectionLimits {
    /// By the limit of this process.
    pub fn of_process() -> Self {
        let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        Self::divide(usize::try_from(descriptors).unwrap_or(usize::MAX))
    }

    /// The daemon's own files come first, then a quarter for the operator, then agents.
    fn divide(descriptors: usize) -> Self {
        let rest = descriptors.saturating_sub(limits::OWN_DESCRIPTORS);
        let operator = PlaneLimits {
            socket: (rest / 8).min(limits::MAX_OPERATOR_CONNECTIONS),
            port: (rest / 8).min(limits::MAX_OPERATOR_CONNECTIONS),
        };
        let rest = rest - operator.socket - operator.port;
        let port = (rest / 4).min(limits::MAX_PORT_CONNECTIONS);
        let agents =
            PlaneLimits { socket: (rest - port).min(limits::MAX_SOCKET_CONNECTIONS), port };
        Self { agents, operator }
    }

    pub const fn plane(&self, plane: Plane) -> PlaneLimits {
        match plane {
            Plane::Agent => self.agents,
            Plane::Operator => self.operator,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_leave_descriptors_for_the_operator_and_the_daemon() {
        for descriptors in [256, 1_024, 4_096, 40_000, usize::MAX] {
            let ConnectionLimits { agents, operator } = ConnectionLimits::divide(descriptors);
            let taken = agents.socket + agents.port + operator.socket + operator.port;
            assert!(taken + limits::OWN_DESCRIPTORS <= descriptors);
            assert!(operator.socket >= 24 && operator.port >= 24, "{descriptors}");
        }
        let all = ConnectionLimits::divide(40_000);
        assert_eq!(all.agents, PlaneLimits { socket: 16_384, port: 1_024 });
        assert_eq!(all.operator, PlaneLimits { socket: 1_024, port: 1_024 });
    }
}
