//! The graphs that the scenarios are decided by, one part per group.

/// The graph of the shared daemon. Nothing in it is decayed, because decay is off.
pub const GRAPH: &str = r#"
vip_contacts:
  ann: ["+15550100001", "ann@example.org"]
  bo: "bo@example.org"

domains:
  # Gated functions: notes and tasks of a personal assistant.
  notes:
    autonomous: [read]
    requires_approval: [write, append, wipe, eval, rename]
    blocked: []
    actions:
      read: {risk: read_only}
      append: {risk: low}
      wipe: {risk: high}
      eval: {risk: high}
  tasks:
    autonomous: [search]
    requires_approval: [toggle, create, archive]
    blocked: []
    actions: {search: {risk: low}}
  briefing:
    autonomous: [compose]
    requires_approval: []
    blocked: []

  # Consent graph: an assistant with mail, messages, a home and itself.
  email:
    trust_level: high
    autonomous: [read, search, label]
    requires_approval: [send, delete, forward]
    blocked: [send_to_unknown, delete_vip]
    actions:
      read: {risk: read_only}
      label: {reversible: true}
      delete: {reversible: true}
  imessage:
    trust_level: low
    autonomous: [read, history]
    requires_approval: [send_vip, send_family]
    blocked: [send_unknown]
  home_automation:
    trust_level: medium
    autonomous: [read_sensors]
    requires_approval: [set_thermostat]
    blocked: [unlock_doors, disable_alarms]
    actions: {set_thermostat: {reversible: true}}
  cron: {autonomous: [list, run_existing], requires_approval: [create, delete], blocked: []}
  notifications:
    autonomous: [send_telegram_owner, send_email_owner]
    requires_approval: [send_telegram_other]
    blocked: [send_to_unknown_channel]
  self_modification:
    autonomous: [load_memory_file, prune_stale_memory]
    requires_approval: [propose_behavioral_change, update_lessons_md]
    blocked: [modify_soul_md, modify_consent_graph, delete_audit_log]
    trusted_channel_required: [propose_behavioral_change, prune_stale_memory]
    cooling_period_hours: 2
    undo_window_days: 7
    require_diff: true
  lessons:
    autonomous: []
    requires_approval: [change]
    blocked: []
    undo_window_days: 7
    require_diff: true

  # Asking ahead: an agent that changes a code base.
  code:
    autonomous: [read]
    requires_approval: [write, remove, shell, push, fetch, publish]
    blocked: []
    actions:
      read: {risk: read_only, categories: [filesystem_read]}
      write: {categories: [filesystem_write]}
      remove: {categories: [filesystem_delete]}
      shell: {categories: [shell_exec]}
      push: {categories: [git_push]}
      fetch: {categories: [http_fetch]}
      publish: {categories: [filesystem_write, http_fetch]}

  # Safety classes: an agent that operates a screen.
  screen:
    autonomous: [read_state]
    requires_approval: [click, type_text, delete_item, checkout, share_packet, create_packet, send_mail]
    blocked: []
    actions:
      read_state: {risk: read_only}
      click: {risk: standard, reversible: true, when_idle: true}
      type_text: {categories: [text_entry]}
      delete_item: {categories: [delete_or_destructive_change]}
      checkout: {categories: [purchase]}
      create_packet: {categories: [support_packet_create], risk: read_only}
      share_packet: {categories: [support_packet_share]}
      send_mail: {categories: [send_email]}

  # Conversation: an agent in a conversation about code.
  dev:
    autonomous: [status]
    requires_approval: [edit, commit, push, run]
    blocked: []
    actions:
      status: {risk: safe}
      edit: {categories: [file-edit]}
      commit: {categories: [git-local]}
      push: {categories: [git-remote]}
      run: {categories: [shell_exec]}

tools:
  write_file: {actions: [code.write], target: /path}
  read_file: {actions: [code.read], target: /path}
  checkout: {actions: [screen.checkout], target: /shop, amount: /amount}
  toggle_task: {actions: [tasks.toggle], declares: [notes.write], target: /task}
  git: {actions: [dev.commit], command: /command}
  shell: {actions: [dev.run], command: /command}

reducers:
  - {caller: briefing.compose, action: notes.eval, to: low}

workflows:
  morning-routine: {actions: [notes.write, tasks.toggle, notes.wipe]}
  tidy-tasks: {actions: [tasks.create, tasks.archive]}
  task-search: {actions: [tasks.search, notes.append]}
  careful-cleanup:
    actions: [notes.write, notes.rename]
    steps:
      - {name: write, actions: [notes.write]}
      - {name: rename, actions: [notes.rename], individual: true}
  implement-feature-x: {actions: []}
  implement-feature-y: {actions: []}

slash:
  commit: [dev.edit, dev.commit]
"#;

/// Permissions that nobody has reviewed for longer than they last.
pub const NEGLECTED: &str = r#"
last_reviewed: 2020-01-05
consent_decay: {enabled: true, review_interval_days: 30, decay_action: downgrade_to_requires_approval}
domains:
  email:
    autonomous: [read, label]
    requires_approval: [send]
    blocked: [delete_vip]
    actions: {read: {risk: read_only}}
"#;
