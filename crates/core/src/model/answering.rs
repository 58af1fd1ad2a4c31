//! What decides whether an answer counts: where it comes from, what was shown there, and what proves
//! that a person meant it.
//!
//! The rule itself is in `steps/may_answer.rs`.

use crate::model::words::words;

words! {
    /// The kinds of places that an answer can come from.
    SurfaceKind {
        /// A surface on the operator's plane, for example a terminal.
        Operator = "operator",
        /// A message in the conversation that an adapter or the operator reports.
        Conversation = "conversation",
        /// The own prompt of a coding agent's program. Its hook reports what was answered there.
        ProgramPrompt = "program_prompt",
        /// A dialog of an MCP client that has an adapter's credential.
        ClientDialog = "client_dialog",
        /// The program that contains the engine. It shows the whole call itself before it asks.
        Embedder = "embedder",
        /// Whatever has an agent's credential. It does not reach the operator.
        Agent = "agent",
    }
}

words! {
    /// How much of the call was shown where the answer comes from.
    ShownExtent {
        /// Another version of the card: what is answered is not this question.
        OtherVersion = "other_version",
        /// Less than the whole call, as far as is known.
        Part = "part",
        Whole = "whole",
    }
}

words! {
    /// What comes with an answer to prove that a person means it, the weakest first. A stronger proof
    /// also serves where a weaker one is asked for.
    AnswerProof {
        /// One key, click or word.
        KeyPress = "key_press",
        /// A second yes to the same question.
        SecondYes = "second_yes",
        /// The amount or target, typed as the card shows it.
        TypedText = "typed_text",
    }
}
